using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Orphans;

/// <summary>
/// What a member knows of how far a removed sender's stream has come on its way to being closed: one for each removed sender and view, from the
/// instant the member learned of the removal until the view retires. See <see cref="OrphanVisit"/>.
/// </summary>
internal sealed class OrphanStream
{
    /// <summary>What members miss, and who holds it, as the token said last. The leader takes it from round to round.</summary>
    public OrphanRangeList Missing { get; } = new();

    /// <summary>Closed: this member has all that is left, and takes nothing more.</summary>
    public bool IsClosed { get; set; }

    /// <summary>The rest of the node has been told that it is closed.</summary>
    public bool IsReported { get; set; }

    /// <summary>Something was abandoned.</summary>
    public bool HasLoss { get; private set; }

    /// <summary>Everything up to here, from some sequence on, was abandoned; 0: nothing.</summary>
    public ulong AbandonedThrough { get; private set; }

    /// <summary>Leader only: complete rounds that named the stream as a removed sender's.</summary>
    public int Rounds { get; set; }

    /// <summary>Leader only: the era in which those rounds were. What is known of removals did not change within it.</summary>
    public int Era { get; set; }

    /// <summary>Leader only: the round that began with the stream in its token.</summary>
    public ulong NamedIn { get; set; }

    /// <summary>Leader only: the highest sequence known when that round began.</summary>
    public ulong HighestAtStart { get; set; }

    /// <summary>Leader only: that round began with the word that the stream is closed.</summary>
    public bool SaysClosed { get; set; }

    /// <summary>Leader only: the term in which a complete round told everybody that the stream is closed; 0: none.</summary>
    public int ToldIn { get; set; }

    /// <summary>Notes that sequences up to one were abandoned.</summary>
    public void NoteLoss(ulong last)
    {
        HasLoss = true;
        AbandonedThrough = Math.Max(AbandonedThrough, last);
    }
}
