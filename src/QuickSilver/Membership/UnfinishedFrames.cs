namespace QuickSilver.Membership;

/// <summary>
/// Counts the bytes of unfinished frames of all connections of a host. A connection that exceeds the common limit ends.
/// A connection that holds few bytes never ends because of the others. Any thread.
/// </summary>
/// <param name="limit">The common limit, in bytes.</param>
internal sealed class UnfinishedFrames(long limit)
{
    /// <summary>What a connection may always hold: most frames are shorter.</summary>
    public const int AlwaysHeld = 8 << 10;

    private long _held;

    /// <summary>The bytes held now.</summary>
    public long Held => Volatile.Read(ref _held);

    /// <summary>Changes the number of bytes that a connection holds.</summary>
    /// <returns>False when the connection must end; its bytes stay counted until it changes them to 0.</returns>
    public bool TryChange(long before, long now)
    {
        long held = Interlocked.Add(ref _held, now - before);
        return held <= limit || now <= AlwaysHeld || now <= before;
    }
}
