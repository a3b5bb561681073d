using QuickSilver.Protocol.Recovery;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Packets of one stream that were taken although the cap on what is held was reached, and have to wait still.
/// </summary>
/// <remarks>
/// Idea: over the cap only what is next helps, but packets that are asked for together come in any order, and were each refused that is not the very
/// next, a stream would go on by one packet a round trip. So a few of the lowest missing packets of each stream are taken all the same. A stream that
/// the order waits for drains its few as its gaps close, and goes on by all of them at a time; one that waits for an older stream of its sender is
/// not asked for more once it has its few, since none of it could be delivered before the older one has come.
/// <para>
/// Nothing waits for ever: of a stream with all its few taken, one at least lies below its first gap, so that what it waits for is in an older stream
/// of the same sender, and the oldest is never stopped. A packet counts until its last message is next, not until it is delivered: the rest of that
/// message may be in packets that are to be asked for. At most 16 entries, allocated when a stream first meets a cap that is reached.
/// </para>
/// </remarks>
internal sealed class OverLimitAllowance
{
    private readonly Entry[] _packets = new Entry[(int)RegionRecovery.GuaranteedPackets];
    private int _count;

    private readonly record struct Entry(SenderCursor Place, ulong Number, long Charge);

    /// <summary>True while one more may be taken. O(entries).</summary>
    public bool HasRoom
    {
        get
        {
            ForgetDone();
            return _count < _packets.Length;
        }
    }

    /// <summary>What the packets are charged, at most. O(entries).</summary>
    public long Charge
    {
        get
        {
            ForgetDone();
            long sum = 0;
            foreach (Entry packet in _packets.AsSpan(0, _count)) sum += packet.Charge;
            return sum;
        }
    }

    /// <summary>A packet is taken; there must be room.</summary>
    /// <param name="place">The place of the last message in it that has to wait.</param>
    /// <param name="number">That message's number.</param>
    /// <param name="charge">What all of it that has to wait is charged, at most.</param>
    public void Add(SenderCursor place, ulong number, long charge) => _packets[_count++] = new Entry(place, number, charge);

    private void ForgetDone()
    {
        int kept = 0;
        for (int index = 0; index < _count; index++)
        {
            Entry packet = _packets[index];
            if (packet.Place.Group.IsOpen && packet.Place.Next < packet.Number) _packets[kept++] = packet;
        }
        Array.Clear(_packets, kept, _count - kept);
        _count = kept;
    }
}
