namespace QuickSilver.WideArea.Groups;

/// <summary>
/// Whether what is acknowledged to other sites, all members of a group here hold. A gateway that others may take over
/// from promises it from its start; another one once a site asks for it, and then until it ends. Any thread.
/// </summary>
/// <param name="always">True to promise it from the start.</param>
internal sealed class HeldPromise(bool always)
{
    private volatile bool _isAsked = always;
    private volatile bool _isKept = always;
    private volatile bool _isWanted;
    private Task _flushing = Task.CompletedTask;

    /// <summary>True when what is published from now on is acknowledged only once all members hold it.</summary>
    public bool IsAsked => _isAsked;

    /// <summary>True when all that was ever acknowledged is held.</summary>
    public bool IsKept => _isKept;

    /// <summary>True when this site asks the others to promise it.</summary>
    public bool IsWanted
    {
        get => _isWanted;
        set => _isWanted = value;
    }

    /// <summary>A site asks for it. What was acknowledged before is flushed first. One caller.</summary>
    /// <param name="joined">The handle by which it was published; null while there is none.</param>
    public void Ask(Group? joined)
    {
        _isAsked = true;
        if (_isKept || joined is null || !_flushing.IsCompleted) return;
        _flushing = FlushAsync(joined);
    }

    private async Task FlushAsync(Group joined)
    {
        try
        {
            await joined.FlushAsync().ConfigureAwait(false);
            _isKept = true;
        }
        catch (Exception refusal) when (refusal is QuickSilverException or ObjectDisposedException)
        {
            // The handle has ended, or nobody serves the membership: it is asked for again.
            return;
        }
    }
}
