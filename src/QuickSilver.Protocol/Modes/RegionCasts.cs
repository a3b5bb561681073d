using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Modes;

/// <summary>
/// The addresses of region views, opened for sending when a mode's engine first sends there, and closed when the view
/// is none of the node's any more. A region without an address, and members known not to hear this node's multicast,
/// get copies by unicast. Core thread only.
/// </summary>
/// <param name="transport">Opens and closes the addresses.</param>
/// <param name="paths">How long datagrams may be, by member.</param>
/// <param name="carriers">How members have been reachable.</param>
internal sealed class RegionCasts(ITransport transport, PathSizes paths, CarrierMemory carriers)
{
    private readonly List<Opened> _opened = [];

    /// <summary>The longest datagram that reaches all live members of a view.</summary>
    public int LongestTo(RegionView view, ulong self) => paths.LongestTo(view, self, transport.Facts.SlotBytes);

    /// <summary>The longest datagram that reaches a member.</summary>
    public int LongestTo(NodeInfo member) =>
        Math.Min(paths.LongestRepairTo(member), transport.Facts.SlotBytes);

    /// <summary>
    /// Adds the trains that carry datagrams to all live members of a view other than this node: one multicast, and one
    /// for each member that needs a copy. O(members) while any does.
    /// </summary>
    /// <param name="view">The view.</param>
    /// <param name="self">This node's key.</param>
    /// <param name="bytes">The datagrams; valid until the last train is sent.</param>
    /// <param name="segment">Length of each but the last.</param>
    /// <param name="trains">Trains are added here.</param>
    public void AddTrains(RegionView view, ulong self, ReadOnlyMemory<byte> bytes, int segment, List<Train> trains)
    {
        IRegionChannel? channel = ChannelOf(view);
        bool isHeard = false;
        foreach (NodeInfo member in view.Members)
        {
            if (member.IsRemoved || member.Number.Key == self) continue;
            if (channel is not null && !carriers.IsCopied(member.Number.Key))
            {
                isHeard = true;
                continue;
            }
            trains.Add(new Train(bytes, segment, TrainRoute.Unicast, member.Data, null));
        }
        if (isHeard) trains.Add(new Train(bytes, segment, TrainRoute.Region, default, channel));
    }

    /// <summary>Closes the addresses of views that the node does not know any more.</summary>
    public void Trim(ClusterView cluster)
    {
        for (int index = _opened.Count - 1; index >= 0; index--)
        {
            if (Contains(cluster.Views, _opened[index].View)) continue;
            Close(_opened[index]);
            _opened.RemoveAt(index);
        }
    }

    /// <summary>Closes all addresses.</summary>
    public void Close()
    {
        foreach (Opened opened in _opened) Close(opened);
        _opened.Clear();
    }

    private static bool Contains(IReadOnlyList<RegionView> views, RegionView view)
    {
        for (int index = 0; index < views.Count; index++)
        {
            if (ReferenceEquals(views[index], view)) return true;
        }
        return false;
    }

    private IRegionChannel? ChannelOf(RegionView view)
    {
        if (view.Multicast.IsNone) return null;
        foreach (Opened opened in _opened)
        {
            if (ReferenceEquals(opened.View, view)) return opened.Channel;
        }
        IRegionChannel? channel = transport.Open(view.Multicast, receive: false);
        _opened.Add(new Opened(view, channel));
        return channel;
    }

    private void Close(in Opened opened)
    {
        if (opened.Channel is not null) transport.Close(opened.Channel, receive: false);
    }

    private readonly record struct Opened(RegionView View, IRegionChannel? Channel);
}
