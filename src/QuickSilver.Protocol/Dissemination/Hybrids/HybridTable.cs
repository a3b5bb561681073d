using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Hybrids;

/// <summary>
/// This node's senders of hybrid packets, one a group, and the streams that they find. Core thread only.
/// </summary>
internal sealed class HybridTable(StreamContext context, StreamTable streams)
{
    private readonly List<HybridSender> _senders = [];

    /// <summary>What the streams of the node share.</summary>
    public StreamContext Context => context;

    /// <summary>The stream into a view, which is open.</summary>
    public StreamSender StreamOf(RegionView view) => streams.Find(view)!;

    /// <summary>Makes the way of a group, until it is closed.</summary>
    public HybridWay Make(GroupInfo group)
    {
        var sender = new HybridSender(this, group);
        _senders.Add(sender);
        return sender;
    }

    /// <summary>A sender is closed.</summary>
    public void Remove(HybridSender sender) => _senders.Remove(sender);

    /// <summary>
    /// The step changes: what waits goes to the streams, and lanes that wait look for their way again.
    /// </summary>
    public void OnSwitch()
    {
        foreach (HybridSender sender in _senders)
        {
            sender.SpillAll();
            while (sender.Line.Waiters.Count > 0) sender.Line.Waiters.Dequeue().OnDetached();
        }
    }

    /// <summary>Closes all senders.</summary>
    public void Close()
    {
        while (_senders.Count > 0) _senders[^1].Close();
    }
}
