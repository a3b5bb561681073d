namespace QuickSilver.WideArea.Groups;

/// <summary>
/// Whether what is acknowledged to other sites, all members of a group here hold. A gateway that others may take over
/// from promises it from its start; another one once a site asks for it, and then until it ends. Any thread.
/// </summary>
/// <param name="always">True to promise it from the start.</param>
internal sealed class HeldPromise(bool always)
{
    // Longer than the gateway of a sender waits for a promise about what was acknowledged without.
    private static readonly TimeSpan DoubtTime = TimeSpan.FromSeconds(10);

    private volatile bool _isAsked = always;
    private volatile bool _isKept = always;
    private volatile bool _isWanted;
    private Group? _acknowledged;
    private Task _flushing = Task.CompletedTask;
    private long _notBefore = long.MinValue;

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

    /// <summary>Something was acknowledged without it.</summary>
    /// <param name="by">The handle by which it was published last; null when nothing was.</param>
    public void OnAcknowledged(Group? by)
    {
        if (by is not null) Volatile.Write(ref _acknowledged, by);
    }

    /// <summary>A site asks for it. What was acknowledged before is flushed first. One caller.</summary>
    /// <param name="joined">The handle on the group; null while there is none.</param>
    public void Ask(Group? joined)
    {
        _isAsked = true;
        if (_isKept || !_flushing.IsCompleted || Environment.TickCount64 < _notBefore) return;
        if ((Volatile.Read(ref _acknowledged) ?? joined) is { } by) _flushing = FlushAsync(by);
    }

    private async Task FlushAsync(Group by)
    {
        try
        {
            await by.FlushAsync().ConfigureAwait(false);
            _isKept = true;
        }
        catch (SendHeldUpException)
        {
            // Nobody serves the membership: it is asked for again.
            return;
        }
        catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
        {
            // After an eviction nothing is known of what was acknowledged before: senders get no promise about it.
            Volatile.Write(ref _acknowledged, null);
            _notBefore = Environment.TickCount64 + (long)DoubtTime.TotalMilliseconds;
        }
    }
}
