using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Limits;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The gate of one stream: its account of pending, and the lanes that it holds up when the account is full. Lanes are
/// attached while they go to the stream. A change costs one visit per attached lane, once per half of the limit
/// that drains.
/// </summary>
internal sealed class StreamGate
{
    private readonly List<SendLane> _lanes = [];

    public StreamGate(PendingLimits limits) => Account = limits.Open(OnChanged);

    public PendingAccount Account { get; }

    /// <summary>Becomes true whenever the gate shuts.</summary>
    public bool HasShut { get; set; }

    public void Attach(SendLane lane)
    {
        _lanes.Add(lane);
        if (!Account.IsOpen) lane.OnGate(open: false);
    }

    /// <summary>
    /// Detaches all lanes at a change of the active step, and collects those that must be bound again at once, because
    /// their messages wait here.
    /// </summary>
    public void DetachAll(List<SendLane> waiting)
    {
        foreach (SendLane lane in _lanes)
        {
            if (lane.MustRebind) waiting.Add(lane);
        }
        _lanes.Clear();
    }

    private void OnChanged(bool open)
    {
        HasShut |= !open;
        foreach (SendLane lane in _lanes) lane.OnGate(open);
    }
}
