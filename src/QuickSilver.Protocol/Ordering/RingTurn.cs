using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// The arithmetic of one node's visits of the token: how many packets it may send, what it asks for, up to where every
/// member holds all packets. Touches nothing but the token and the log.
/// <para>
/// Source: the Totem single-ring protocol (Amir and others, 1995) and its accelerated form (Babay, Amir). A node asks
/// for holes up to the sequence of the token before alone: packets that leave after the token may still be on their
/// way.
/// </para>
/// </summary>
/// <param name="self">Key of this node.</param>
/// <param name="log">The packets here.</param>
/// <param name="settings">The windows.</param>
internal sealed class RingTurn(ulong self, RingLog log, RingSettings settings)
{
    /// <summary>A packet is at most so far from the first that not every member holds.</summary>
    public const int MaxGap = 1600;

    private uint _ownFlow;
    private ulong _sequenceBefore;
    private ulong _heldBefore;

    /// <summary>Every member holds all packets up to this: the token said so in two rounds.</summary>
    public ulong Stable { get; private set; }

    /// <summary>How many new packets may be sent at this visit.</summary>
    /// <param name="token">The token, as it came.</param>
    /// <param name="resent">Packets that are sent again at this visit.</param>
    /// <param name="global">Packets of a round, of all nodes.</param>
    public int Allowed(RingToken token, int resent, int global)
    {
        long ofOthers = Math.Max(0, (long)token.Flow - _ownFlow);
        long byRound = global - ofOthers - resent;
        long byGap = (long)(token.Held + MaxGap) - (long)token.Sequence;
        return (int)Math.Max(0, Math.Min(settings.PersonalWindow, Math.Min(byRound, byGap)));
    }

    /// <summary>Packets of this visit that leave before the token.</summary>
    public int BeforeToken(int sent) => Math.Max(0, sent - settings.AcceleratedWindow);

    /// <summary>
    /// Changes the token for the next member, after new packets were numbered and added to the log.
    /// </summary>
    /// <param name="token">The token.</param>
    /// <param name="sent">New packets.</param>
    /// <param name="resent">Packets sent again.</param>
    /// <returns>Packets that the node asks for and nobody did.</returns>
    public ulong End(RingToken token, int sent, int resent)
    {
        ulong asked = Ask(token, settings.AcceleratedWindow == 0 ? token.Sequence : _sequenceBefore);
        _sequenceBefore = token.Sequence;
        token.Sequence += (ulong)sent;
        token.Flow = (uint)(Math.Max(0, (long)token.Flow - _ownFlow) + sent + resent);
        _ownFlow = (uint)(sent + resent);
        ulong upTo = Math.Min(log.UpTo, token.Sequence);
        if (upTo < token.Held || token.LoweredBy == self || token.LoweredBy == 0)
        {
            token.Held = upTo;
            token.LoweredBy = upTo == token.Sequence ? 0 : self;
        }
        ulong stable = Math.Min(token.Held, _heldBefore);
        if (stable > Stable) Stable = stable;
        _heldBefore = token.Held;
        return asked;
    }

    private ulong Ask(RingToken token, ulong upTo)
    {
        int before = token.Asked.Count;
        ulong countBefore = Count(token.Asked);
        log.AddMissing(upTo, OrderedTokenBody.MaxRanges, token.Asked);
        if (token.Asked.Count == before) return 0;
        Merge(token.Asked);
        return Count(token.Asked) - countBefore;
    }

    private static ulong Count(List<SequenceRange> ranges)
    {
        ulong count = 0;
        foreach (SequenceRange range in ranges) count += range.Count;
        return count;
    }

    // Ascending and separate, the lowest of them.
    private static void Merge(List<SequenceRange> ranges)
    {
        ranges.Sort(static (left, right) => left.Start.CompareTo(right.Start));
        int last = 0;
        for (int index = 1; index < ranges.Count; index++)
        {
            SequenceRange range = ranges[index];
            if (range.Start <= ranges[last].End)
                ranges[last] = new SequenceRange(ranges[last].Start, Math.Max(ranges[last].End, range.End));
            else ranges[++last] = range;
        }
        ranges.RemoveRange(last + 1, ranges.Count - last - 1);
        if (ranges.Count > OrderedTokenBody.MaxRanges)
            ranges.RemoveRange(OrderedTokenBody.MaxRanges, ranges.Count - OrderedTokenBody.MaxRanges);
    }
}
