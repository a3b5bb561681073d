using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>One look at what is missing of one stream: how much of it may still be asked for, and when to look again.</summary>
internal struct MissingPass
{
    public readonly Instant Now;
    public readonly TimeSpan Patience;
    public long Room;
    public long Retries;
    public Instant Next = Instant.Never;

    /// <summary>What was asked for and is still awaited takes its part of the room.</summary>
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

    public bool IsDue(in MissingRange run, TimeSpan grace)
    {
        Instant due = run.DueAt(grace, Patience);
        if (due > Now) LookAgainAt(due);
        return due <= Now;
    }

    /// <summary>A run is asked for now.</summary>
    /// <returns>The run as it was before.</returns>
    public MissingRange Take(MissingRanges missing, int index)
    {
        MissingRange run = missing[index];
        Room -= (long)run.Length;
        missing[index] = run with { When = Now, Attempts = run.Attempts + 1 };
        LookAgainAt(Now + Patience);
        return run;
    }
}
