namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Packets of one stream that were taken although the cap on held messages was reached, and that still have to wait.
/// </summary>
/// <remarks>
/// Idea: over the cap only the very next packet helps. But packets that are requested together come in any order; if
/// all others were refused, a stream would advance by one packet a round trip. So a few of the lowest missing packets
/// of each stream are taken nevertheless. If delivery is waiting for this stream, closing its gaps delivers all
/// over-limit packets at once and frees their entries. If the stream must wait for an older stream of the same sender,
/// no more of it is requested once the allowance is used: nothing of it could be delivered before the older one has
/// come.
/// <para>
/// No stream waits for ever. In a stream whose allowance is used up, at least one taken packet lies below its first
/// gap; so it waits for an older stream of the same sender, and the oldest is never stopped. A packet counts until its
/// last message is next, not until it is delivered: the rest of that message may be in packets still to be requested.
/// At most 16 entries, allocated when a stream first meets a cap that is reached.
/// </para>
/// </remarks>
internal sealed class OverLimitAllowance
{
    /// <summary>
    /// Packets of each stream that are accepted although a limit is reached; otherwise all streams could stall.
    /// </summary>
    public const ulong GuaranteedPackets = 16;

    private readonly Entry[] _packets = new Entry[(int)GuaranteedPackets];
    private int _count;

    private readonly record struct Entry(SenderCursor Cursor, ulong Number, long Charge);

    /// <summary>True while one more may be taken. O(entries).</summary>
    public bool HasRoom
    {
        get
        {
            ForgetDone();
            return _count < _packets.Length;
        }
    }

    /// <summary>Upper bound of the packets' charge. O(entries).</summary>
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

    /// <summary>Notes a packet that is taken; there must be room.</summary>
    /// <param name="cursor">The cursor of the last message in it that has to wait.</param>
    /// <param name="number">That message's number.</param>
    /// <param name="charge">Upper bound of the charge of all its messages that have to wait.</param>
    public void Add(SenderCursor cursor, ulong number, long charge) =>
        _packets[_count++] = new Entry(cursor, number, charge);

    private void ForgetDone()
    {
        int kept = 0;
        for (int index = 0; index < _count; index++)
        {
            Entry packet = _packets[index];
            if (packet.Cursor.Group.IsOpen && packet.Cursor.Next < packet.Number) _packets[kept++] = packet;
        }
        Array.Clear(_packets, kept, _count - kept);
        _count = kept;
    }
}
