using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// Turns one piece of a stream into trains: one, to the region's channel; or, where the view is carried by unicast, one per live member other than
/// this node, all of the same memory.
/// </summary>
/// <param name="view">The view.</param>
/// <param name="channel">The view's channel; null: unicast.</param>
/// <param name="selfKey">This node.</param>
internal sealed class StreamCarrier(RegionView view, IRegionChannel? channel, ulong selfKey)
{
    private Slice _bytes;
    private int _segment;
    private int _next = int.MaxValue;

    /// <summary>Begins with a piece; the caller keeps the memory alive until the next one.</summary>
    public void Start(Slice bytes, int segment)
    {
        _bytes = bytes;
        _segment = segment;
        _next = 0;
    }

    /// <summary>Forgets the rest of the piece.</summary>
    public void Stop()
    {
        _bytes = default;
        _next = int.MaxValue;
    }

    /// <summary>The next train of the piece; false when all have been handed out.</summary>
    public bool TryNext(out Train train)
    {
        train = default;
        if (_bytes.IsEmpty) return false;
        if (channel is not null)
        {
            train = new Train(_bytes.Memory, _segment, TrainRoute.Region, default, channel);
            Stop();
            return true;
        }
        while (_next < view.Members.Length)
        {
            NodeInfo member = view.Members[_next++];
            if (member.IsRemoved || member.Number.Key == selfKey) continue;
            train = new Train(_bytes.Memory, _segment, TrainRoute.Unicast, member.Data, null);
            return true;
        }
        Stop();
        return false;
    }
}
