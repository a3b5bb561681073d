namespace QuickSilver.Inboxes;

/// <summary>
/// Which call is the first consumer of an inbox, and so gets what has been held: the first of all calls, by any thread, that attaches a handler or
/// begins to read.
/// <para>
/// Idea: a handler reserves what is held in the call that attaches it, and the core hands it over a moment later. Until then a reader that comes
/// second finds nothing: what is there is not its own. What the handler leaves, because it takes itself out meanwhile, is held for the next consumer.
/// </para>
/// A field of <see cref="InboxCore"/>, never copied. Any thread, unless a member says otherwise.
/// </summary>
internal struct FirstConsumer
{
    private const int Nobody = 0;
    private const int Reader = 1;
    private const int Reserved = 2;
    private const int Handler = 3;

    private int _state;
    private int _isReaderExpected;

    /// <summary>True once somebody has called for a reader: what comes is stored for it.</summary>
    public readonly bool IsReaderExpected => Volatile.Read(in _isReaderExpected) != 0;

    /// <summary>True when what is stored belongs to a reader.</summary>
    public readonly bool MayRead => Volatile.Read(in _state) is Reader or Handler;

    /// <summary>A reader is called for: what is held is its own, unless a handler was quicker.</summary>
    public void ExpectReader()
    {
        if (Volatile.Read(in _isReaderExpected) != 0 && MayRead) return;
        Interlocked.Exchange(ref _isReaderExpected, 1);
        Interlocked.CompareExchange(ref _state, Reader, Nobody);
    }

    /// <summary>A handler is attached: what is held is its own, unless another call was quicker.</summary>
    /// <returns>True: <see cref="EndReservation"/> must follow.</returns>
    public bool TryReserve() => Interlocked.CompareExchange(ref _state, Reserved, Nobody) == Nobody;

    /// <summary>A handler was there before the first message.</summary>
    public void SetHandler() => Volatile.Write(ref _state, Handler);

    /// <summary>What is held has been handed over, or the handler has gone before. By who has the reservation.</summary>
    /// <param name="isTaken">False: what is left is held for the next consumer.</param>
    public void EndReservation(bool isTaken)
    {
        if (isTaken)
        {
            SetHandler();
            return;
        }
        // A reader that was called for meanwhile is the next. Fenced: either it is seen here, or it sees that there is nobody.
        Interlocked.Exchange(ref _state, Nobody);
        if (IsReaderExpected) Interlocked.CompareExchange(ref _state, Reader, Nobody);
    }
}
