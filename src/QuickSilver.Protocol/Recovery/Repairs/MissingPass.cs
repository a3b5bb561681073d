using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// One pass over the missing ranges of one stream: how much may still be requested, and when the next pass is due.
/// </summary>
internal struct MissingPass
{
    public readonly Instant Now;
    public readonly TimeSpan Patience;
    public long Room;
    public long Retries;
    public Instant Next = Instant.Never;

    /// <summary>Begins a pass. Requests that are still awaited use up their part of the room.</summary>
    public MissingPass(MissingRanges missing, long room, TimeSpan patience, Instant now)
    {
        Now = now;
        Patience = patience;
        Room = room;
        for (int index = 0; index < missing.Count; index++)
        {
            if (missing[index].IsUnderWay(now, patience)) Room -= (long)missing[index].Length;
        }
    }

    public void LookAgainAt(Instant at)
    {
        if (at < Next) Next = at;
    }

    public bool IsDue(in MissingRange range, TimeSpan grace)
    {
        Instant due = range.DueAt(grace, Patience);
        if (due > Now) LookAgainAt(due);
        return due <= Now;
    }

    /// <summary>Marks a range as requested now.</summary>
    /// <returns>The range as it was before.</returns>
    public MissingRange Take(MissingRanges missing, int index)
    {
        MissingRange range = missing[index];
        Room -= (long)range.Length;
        missing[index] = range with { When = Now, Attempts = range.Attempts + 1 };
        LookAgainAt(Now + Patience);
        return range;
    }
}
