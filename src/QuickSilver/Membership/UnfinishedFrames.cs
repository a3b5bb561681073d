namespace QuickSilver.Membership;

/// <summary>
/// Bytes of frames that have not come whole, of all connections of a host together. A connection that would exceed the limit ends; one that holds
/// little is never ended for what others hold. Any thread.
/// </summary>
/// <param name="most">The most bytes.</param>
internal sealed class UnfinishedFrames(long most)
{
    /// <summary>What a connection may always hold: most frames are shorter.</summary>
    public const int AlwaysHeld = 8 << 10;

    private long _held;

    /// <summary>Bytes held now.</summary>
    public long Held => Volatile.Read(ref _held);

    /// <summary>A connection holds another number of bytes than before.</summary>
    /// <returns>False when it has to end; what it holds stays counted until it says 0.</returns>
    public bool TryChange(long before, long now)
    {
        long held = Interlocked.Add(ref _held, now - before);
        return held <= most || now <= AlwaysHeld || now <= before;
    }
}
