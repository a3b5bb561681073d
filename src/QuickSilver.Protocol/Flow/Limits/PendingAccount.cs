namespace QuickSilver.Protocol.Flow.Limits;

/// <summary>One stream's part of <see cref="PendingLimits"/>. Core thread only.</summary>
internal sealed class PendingAccount
{
    private readonly PendingLimits _limits;
    private readonly Action<bool>? _onGateChanged;

    internal PendingAccount(PendingLimits limits, Action<bool>? onGateChanged)
    {
        _limits = limits;
        _onGateChanged = onGateChanged;
    }

    /// <summary>Messages pending in the stream.</summary>
    public long Messages { get; private set; }

    /// <summary>Bytes pending in the stream.</summary>
    public long Bytes { get; private set; }

    /// <summary>
    /// True while more may be admitted: from the start, or from when half was free, until the stream is full.
    /// </summary>
    public bool IsOpen { get; private set; } = true;

    internal long ReservedMessages => Messages == 0 ? 0 : Math.Max(Messages, _limits.Quota.GuaranteedMessages);

    internal long ReservedBytes => Messages == 0 ? 0 : Math.Max(Bytes, _limits.Quota.GuaranteedBytes);

    internal bool MayOpen => Messages <= MessageLimit / 2 && Bytes <= ByteLimit / 2;

    /// <summary>How many more messages shut the gate; 0 or less when it may be shut already.</summary>
    public long MessagesLeft => MessageLimit - Messages;

    /// <summary>How many more bytes shut the gate; 0 or less when it may be shut already.</summary>
    public long BytesLeft => ByteLimit - Bytes;

    // Half of what would be free without this stream, above its minimum. Equal to: above the minimum, as much as stays
    // free for others.
    private long MessageLimit =>
        Limit(_limits.Quota.StreamMessages, _limits.Quota.GuaranteedMessages, _limits.FreeMessages + ReservedMessages);

    private long ByteLimit =>
        Limit(_limits.Quota.StreamBytes, _limits.Quota.GuaranteedBytes, _limits.FreeBytes + ReservedBytes);

    /// <summary>Counts admitted messages; the gate shuts when the stream is full.</summary>
    public void Add(int messages, long bytes)
    {
        _limits.Change(this, messages, bytes);
        if (!IsOpen || (Messages < MessageLimit && Bytes < ByteLimit)) return;
        IsOpen = false;
        _limits.Shut(this);
        _onGateChanged?.Invoke(false);
    }

    /// <summary>
    /// Counts messages that became stable or were given up; opens gates that can open, of this stream and of others.
    /// </summary>
    public void Remove(int messages, long bytes)
    {
        System.Diagnostics.Debug.Assert(messages <= Messages && bytes <= Bytes, "more removed than was added");
        _limits.Change(this, -messages, -bytes);
        _limits.OpenWhatCan();
    }

    /// <summary>
    /// Releases everything that the stream still holds. The account is not used afterwards, and its gate raises no
    /// event.
    /// </summary>
    public void Close()
    {
        _limits.Forget(this);
        _limits.Change(this, -(int)Messages, -Bytes);
        _limits.OpenWhatCan();
    }

    internal void Count(int messages, long bytes)
    {
        Messages += messages;
        Bytes += bytes;
    }

    internal void OpenGate()
    {
        IsOpen = true;
        _onGateChanged?.Invoke(true);
    }

    // The result is the same before the stream holds anything and after.
    private static long Limit(long streamLimit, long guaranteed, long leftByOthers) =>
        Math.Min(streamLimit, guaranteed + (Math.Max(0, leftByOthers - guaranteed) / 2));
}
