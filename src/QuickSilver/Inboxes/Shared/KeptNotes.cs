using System.Diagnostics.CodeAnalysis;

namespace QuickSilver.Inboxes.Shared;

/// <summary>What a reader has passed in one group and not told yet: losses, and a view that a message reader skipped.
/// The reader's thread.</summary>
internal sealed class KeptNotes
{
    /// <summary>Losses, which are told before their sender's next message.</summary>
    public LossNotes Losses { get; } = new();

    /// <summary>The newest view, which is told before the group's next message.</summary>
    public GroupView? View { get; set; }

    /// <summary>Takes the view, if there is one.</summary>
    public bool TryTakeView([NotNullWhen(true)] out GroupView? view)
    {
        view = View;
        View = null;
        return view is not null;
    }
}
