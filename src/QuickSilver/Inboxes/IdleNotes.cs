namespace QuickSilver.Inboxes;

/// <summary>
/// Events of a group after the last message of its inbox; no message follows them yet. Core and reader exchange the
/// object as a whole and never change it while both can reach it.
/// </summary>
internal sealed class IdleNotes
{
    /// <summary>The newest view, unless it was reported.</summary>
    public GroupView? View { get; set; }

    /// <summary>Losses that were not reported yet.</summary>
    public LossNotes? Losses { get; set; }

    /// <summary>Whether there is nothing to report.</summary>
    public bool IsEmpty => View is null && (Losses is null || Losses.Count == 0);

    /// <summary>Adds later events.</summary>
    public void Merge(IdleNotes later)
    {
        View = later.View ?? View;
        if (later.Losses is null) return;
        if (Losses is null) Losses = later.Losses;
        else Losses.AddAll(later.Losses);
    }
}
