namespace QuickSilver.Protocol.Flow;

/// <summary>
/// The bytes of one outgoing message, made by the host (usually on an application's thread) and passed to the core
/// thread. All regions of the message's group share it; it is recycled once, when the last of them has packed it.
/// </summary>
internal abstract class Payload
{
    private int _references = 1;

    /// <summary>The message's bytes.</summary>
    public abstract ReadOnlySpan<byte> Span { get; }

    /// <summary>What the sender says of the message; used by the modes of groups that know it.</summary>
    public MessageTraits Traits { get; set; }

    /// <summary>Adds a holder. Core thread only.</summary>
    public void Retain() => _references++;

    /// <summary>Releases one holder; after the last, <see cref="Recycle"/> is called. Core thread only.</summary>
    public void Release()
    {
        System.Diagnostics.Debug.Assert(_references > 0, "released more often than retained");
        if (--_references != 0) return;
        _references = 1;
        Recycle();
    }

    /// <summary>
    /// Returns the memory to its maker. Called with one reference in place again, ready for the next use.
    /// </summary>
    protected abstract void Recycle();
}
