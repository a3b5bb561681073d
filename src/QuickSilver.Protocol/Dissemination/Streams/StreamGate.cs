using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Limits;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// The gate of one stream: its account of pending, and the groups that it holds up when the account is full. Groups are
/// attached while they are bound to the stream. A change costs one visit per attached group, once per half of the limit
/// that drains.
/// </summary>
internal sealed class StreamGate
{
    private readonly List<GroupSender> _groups = [];

    public StreamGate(PendingLimits limits) => Account = limits.Open(OnChanged);

    public PendingAccount Account { get; }

    public void Attach(GroupSender group)
    {
        _groups.Add(group);
        if (!Account.IsOpen) group.OnGate(open: false);
    }

    /// <summary>
    /// Detaches all groups at a change of the active step, and collects those that must be bound again at once, because
    /// their messages wait here.
    /// </summary>
    public void DetachAll(List<GroupSender> waiting)
    {
        foreach (GroupSender group in _groups)
        {
            if (group.MustRebind) waiting.Add(group);
        }
        _groups.Clear();
    }

    private void OnChanged(bool open)
    {
        foreach (GroupSender group in _groups) group.OnGate(open);
    }
}
