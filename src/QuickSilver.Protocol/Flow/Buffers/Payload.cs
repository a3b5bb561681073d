namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>
/// The bytes of one message on their way out, made by the host (usually on an application's thread) and handed to the core thread. Shared by all
/// regions of the message's group; released once, when the last of them has packed it.
/// </summary>
public abstract class Payload
{
    private int _references = 1;

    /// <summary>The message's bytes.</summary>
    public abstract ReadOnlySpan<byte> Span { get; }

    /// <summary>Adds a holder. Core thread only.</summary>
    public void Retain() => _references++;

    /// <summary>Gives one hold up; after the last, <see cref="Recycle"/> is called. Core thread only.</summary>
    public void Release()
    {
        System.Diagnostics.Debug.Assert(_references > 0, "released more often than retained");
        if (--_references != 0) return;
        _references = 1;
        Recycle();
    }

    /// <summary>Gives the memory back to whoever made it. Called with one reference again in place, ready for the next use.</summary>
    protected abstract void Recycle();
}
