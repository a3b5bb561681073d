namespace QuickSilver.Inboxes;

/// <summary>
/// What happened to a group after the last message of an inbox: no message follows yet that it would have to stand before. Handed between core and
/// reader whole; never changed while it lies where both can reach it.
/// </summary>
internal sealed class IdleNotes
{
    /// <summary>The newest view, if it has not been told.</summary>
    public GroupView? View { get; set; }

    /// <summary>Losses that have not been told.</summary>
    public LossNotes? Losses { get; set; }

    /// <summary>True when there is nothing to tell.</summary>
    public bool IsEmpty => View is null && (Losses is null || Losses.Count == 0);

    /// <summary>Adds what came later.</summary>
    public void Merge(IdleNotes later)
    {
        View = later.View ?? View;
        if (later.Losses is null) return;
        if (Losses is null) Losses = later.Losses;
        else Losses.AddAll(later.Losses);
    }
}
