namespace QuickSilver.Inboxes;

/// <summary>
/// Decides which call is the first consumer of an inbox and gets the buffered messages: the first call, on any thread,
/// that attaches a handler or begins to read.
/// <para>
/// Idea: a handler reserves the buffered messages in the call that attaches it; the core delivers them a moment later.
/// Until then a later reader finds nothing, since it does not own what is there. If the handler detaches early, the
/// rest stays buffered for the next consumer.
/// </para>
/// A field of <see cref="InboxCore"/>, never copied. Any thread, unless a member says otherwise.
/// </summary>
internal struct FirstConsumer
{
    private const int None = 0;
    private const int Reader = 1;
    private const int Reserved = 2;
    private const int Handler = 3;

    private int _state;
    private int _isReaderExpected;

    /// <summary>True once a reader is expected: new messages are stored for it.</summary>
    public readonly bool IsReaderExpected => Volatile.Read(in _isReaderExpected) != 0;

    /// <summary>Whether the stored messages belong to a reader.</summary>
    public readonly bool MayRead => Volatile.Read(in _state) is Reader or Handler;

    /// <summary>Announces a reader. It gets the buffered messages, unless a handler was faster.</summary>
    public void ExpectReader()
    {
        if (Volatile.Read(in _isReaderExpected) != 0 && MayRead) return;
        Interlocked.Exchange(ref _isReaderExpected, 1);
        Interlocked.CompareExchange(ref _state, Reader, None);
    }

    /// <summary>Reserves the buffered messages for a handler, unless another call was faster.</summary>
    /// <returns>True if reserved; <see cref="EndReservation"/> must follow.</returns>
    public bool TryReserve() => Interlocked.CompareExchange(ref _state, Reserved, None) == None;

    /// <summary>Records that a handler was attached before the first message.</summary>
    public void SetHandler() => Volatile.Write(ref _state, Handler);

    /// <summary>Ends a reservation. Called by its owner.</summary>
    /// <param name="isTaken">True if all buffered messages were delivered. False if the handler was detached first; the
    /// rest stays for the next consumer.</param>
    public void EndReservation(bool isTaken)
    {
        if (isTaken)
        {
            SetHandler();
            return;
        }
        // A reader announced meanwhile is the next consumer. The fence ensures that this code sees the reader, or the
        // reader sees no consumer.
        Interlocked.Exchange(ref _state, None);
        if (IsReaderExpected) Interlocked.CompareExchange(ref _state, Reader, None);
    }
}
