namespace QuickSilver.Dashboard.Sharing;

/// <summary>Counts streams up to a limit.</summary>
/// <param name="most">The limit.</param>
internal sealed class StreamLimit(int most)
{
    private int _open;

    /// <summary>Streams that are open.</summary>
    public int Open => Volatile.Read(ref _open);

    /// <summary>Takes a place; false if there is none.</summary>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _open) <= most) return true;
        Leave();
        return false;
    }

    /// <summary>Gives a place back.</summary>
    public void Leave() => Interlocked.Decrement(ref _open);
}
