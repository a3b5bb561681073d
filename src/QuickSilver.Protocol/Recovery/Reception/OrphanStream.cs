using QuickSilver.Protocol.Recovery.Orphans;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// A member's knowledge of a removed sender's stream until it is closed. There is one for each removed sender and view,
/// from the time the member learns of the removal until the view retires. See <see cref="OrphanVisit"/>.
/// </summary>
internal sealed class OrphanStream
{
    /// <summary>
    /// Packets that members miss, with their holders, as the last token listed them. The leader carries the list from
    /// round to round.
    /// </summary>
    public OrphanRangeList Missing { get; } = new();

    /// <summary>True once the stream is closed: this member has all that is left of it, and accepts no more.</summary>
    public bool IsClosed { get; set; }

    /// <summary>True once the rest of the node has been notified that the stream is closed.</summary>
    public bool IsReported { get; set; }

    /// <summary>True when packets were abandoned.</summary>
    public bool HasLoss { get; private set; }

    /// <summary>The last sequence of the packets that were abandoned; 0 when none were.</summary>
    public ulong AbandonedThrough { get; private set; }

    /// <summary>Leader only: number of complete rounds that listed the stream as a removed sender's.</summary>
    public int Rounds { get; set; }

    /// <summary>Leader only: the era of those rounds. Knowledge of removals does not change within an era.</summary>
    public int Era { get; set; }

    /// <summary>Leader only: the round that began with the stream in its token.</summary>
    public ulong NamedIn { get; set; }

    /// <summary>Leader only: the highest sequence known when that round began.</summary>
    public ulong HighestAtStart { get; set; }

    /// <summary>Leader only: true when that round's token announced at its start that the stream is closed.</summary>
    public bool AnnouncesClosed { get; set; }

    /// <summary>
    /// Leader only: the term in which a complete round announced to all members that the stream is closed; 0: none.
    /// </summary>
    public int AnnouncedIn { get; set; }

    /// <summary>Records that sequences up to one were abandoned.</summary>
    public void NoteLoss(ulong last)
    {
        HasLoss = true;
        AbandonedThrough = Math.Max(AbandonedThrough, last);
    }
}
