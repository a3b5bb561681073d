using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// Turns one piece of a stream into trains, all of the same memory: one to the region's channel, and one for each live
/// member other than this node that is carried by unicast.
/// </summary>
/// <param name="view">The view.</param>
/// <param name="channel">The view's channel; null: unicast.</param>
/// <param name="carriers">Knows the members carried by unicast.</param>
/// <param name="selfKey">This node's key.</param>
internal sealed class StreamCarrier(
    RegionView view, IRegionChannel? channel, MemberCarriers carriers, ulong selfKey)
{
    private const int Multicast = -1;

    private Slice _bytes;
    private int _segment;
    private int _next = int.MaxValue;
    private int _alsoTo;

    /// <summary>Begins with a piece; the caller keeps the memory alive until the next one.</summary>
    /// <param name="bytes">The piece.</param>
    /// <param name="segment">Length of its datagrams.</param>
    /// <param name="alsoTo">Index of a member that gets it by unicast, too; -1: none.</param>
    public void Start(Slice bytes, int segment, int alsoTo = -1)
    {
        _alsoTo = alsoTo;
        _bytes = bytes;
        _segment = segment;
        _next = channel is null ? 0 : Multicast;
    }

    /// <summary>Forgets the rest of the piece.</summary>
    public void Stop()
    {
        _bytes = default;
        _next = int.MaxValue;
    }

    /// <summary>Makes the next train of the piece; false when all have been returned.</summary>
    public bool TryNext(out Train train)
    {
        train = default;
        if (_bytes.IsEmpty) return false;
        if (_next == Multicast)
        {
            _next = 0;
            if (carriers.NeedsMulticast || carriers.Copied == 0)
            {
                train = new Train(_bytes.Memory, _segment, TrainRoute.Region, default, channel);
                if (carriers.Copied == 0 && _alsoTo < 0) Stop();
                return true;
            }
        }
        while (_next < view.Members.Length)
        {
            int index = _next++;
            NodeInfo member = view.Members[index];
            if (member.IsRemoved || member.Number.Key == selfKey) continue;
            if (index != _alsoTo && !carriers.IsCopied(index)) continue;
            train = new Train(_bytes.Memory, _segment, TrainRoute.Unicast, member.Data, null);
            return true;
        }
        Stop();
        return false;
    }
}
