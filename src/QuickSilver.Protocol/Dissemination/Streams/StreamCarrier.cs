using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// Turns one piece of a stream into trains, all of the same memory: one to the region's channel, and one for each live
/// member other than this node that is carried by unicast.
/// <para>
/// The root is given them train by train, and may use the last one until it asks again. So memory that is held here is
/// kept until then, even when it has become stable meanwhile. One piece at a time; the one before is released first.
/// Core thread only.
/// </para>
/// </summary>
/// <param name="view">The view.</param>
/// <param name="channel">The view's channel; null: unicast.</param>
/// <param name="carriers">Knows the members carried by unicast.</param>
/// <param name="context">The node's shared state.</param>
internal sealed class StreamCarrier(
    RegionView view, IRegionChannel? channel, MemberCarriers carriers, SendContext context)
{
    private const int Multicast = -1;

    private readonly ulong _selfKey = context.SelfKey;
    private Slice _bytes;
    private Slice _held;
    private uint _messages;
    private bool _isBeacon;
    private int _segment;
    private int _next = int.MaxValue;
    private int _alsoTo;

    /// <summary>True when no memory is held.</summary>
    public bool IsEmpty => _held.IsEmpty;

    /// <summary>Holds a train of packets, with one reference to it, and begins with it.</summary>
    /// <param name="bytes">The packets.</param>
    /// <param name="segment">Length of each but the last.</param>
    /// <param name="messages">How many messages they carry.</param>
    public void Hold(in Slice bytes, int segment, uint messages) => Hold(bytes, segment, messages, isBeacon: false);

    /// <summary>Holds a beacon, with one reference to it, and begins with it.</summary>
    /// <param name="bytes">The beacon.</param>
    /// <param name="alsoTo">Index of a member that gets it by unicast too; -1: none.</param>
    public void HoldBeacon(in Slice bytes, int alsoTo = -1) =>
        Hold(bytes, bytes.Length, messages: 0, isBeacon: true, alsoTo);

    /// <summary>Makes the next train of the piece that is held, and counts it; false when there is none.</summary>
    public bool TryNextHeld(out Train train)
    {
        if (!TryNext(out train)) return false;
        DisseminationCounters counters = context.Counters;
        if (_isBeacon)
        {
            counters.Beacons++;
            return true;
        }
        counters.DataDatagrams += (ulong)train.Count;
        counters.MessageCopies += _messages;
        return true;
    }

    /// <summary>Releases the memory: the root has asked again, or never will.</summary>
    public void Release()
    {
        _held.Release();
        _held = default;
    }

    /// <summary>Begins with a piece; the caller keeps the memory alive until the next one.</summary>
    /// <param name="bytes">The piece.</param>
    /// <param name="segment">Length of its datagrams.</param>
    /// <param name="alsoTo">Index of a member that gets it by unicast, too; -1: none.</param>
    public void Start(in Slice bytes, int segment, int alsoTo = -1)
    {
        _alsoTo = alsoTo;
        _bytes = bytes;
        _segment = segment;
        _next = channel is null ? 0 : Multicast;
    }

    /// <summary>Forgets the rest of the piece; trains in use stay in memory.</summary>
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
            if (member.IsRemoved || member.Number.Key == _selfKey) continue;
            if (index != _alsoTo && !carriers.IsCopied(index)) continue;
            train = new Train(_bytes.Memory, _segment, TrainRoute.Unicast, member.Data, null);
            return true;
        }
        Stop();
        return false;
    }

    private void Hold(in Slice bytes, int segment, uint messages, bool isBeacon, int alsoTo = -1)
    {
        System.Diagnostics.Debug.Assert(_held.IsEmpty, "the train before was released");
        _held = bytes;
        _messages = messages;
        _isBeacon = isBeacon;
        Start(bytes, segment, alsoTo);
    }
}
