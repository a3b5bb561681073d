namespace QuickSilver.Protocol.Flow.Limits;

/// <summary>
/// The memory that a node's senders may hold: messages and bytes that are admitted and not yet stable, per stream and
/// for the node.
/// <para>
/// Idea: a stream always has its guaranteed minimum; above it, it may take only as much as stays free for others. So
/// one stuck region ends up with half of the node's memory, a second with a quarter, and the others still send. The
/// thresholds are dynamic, as in the shared buffers of switches (Choudhury and Hahne, 1998). A stream's gate shuts when
/// it is full and opens at half, so that senders are woken once for a batch of messages.
/// </para>
/// <para>
/// Minima are reserved for streams that hold something. When the node is full already and further streams begin, their
/// minima come on top: the node's limit can be exceeded by at most one minimum for each of them. Messages may be added
/// to a shut gate, because another thread admitted them a moment before; the count includes them. O(1) per change, plus
/// the shut gates per release; allocates nothing in steady state; core thread only.
/// </para>
/// </summary>
internal sealed class PendingLimits(PendingQuota quota)
{
    private readonly List<PendingAccount> _shut = [];
    private long _reservedMessages;
    private long _reservedBytes;

    /// <summary>The limits.</summary>
    public PendingQuota Quota { get; } = quota;

    /// <summary>Messages pending in all streams.</summary>
    public long Messages { get; private set; }

    /// <summary>Bytes pending in all streams.</summary>
    public long Bytes { get; private set; }

    /// <summary>How often a gate has shut.</summary>
    public ulong Shuts { get; private set; }

    /// <summary>Opens the account of a new stream, with its gate open.</summary>
    /// <param name="onGateChanged">Called when the gate shuts (false) and opens (true), at the end of the call that
    /// changed it, possibly another stream's. It may add to accounts. Null: no callback.</param>
    public PendingAccount Open(Action<bool>? onGateChanged = null) => new(this, onGateChanged);

    internal long FreeMessages => Quota.NodeMessages - _reservedMessages;

    internal long FreeBytes => Quota.NodeBytes - _reservedBytes;

    internal void Change(PendingAccount account, int messages, long bytes)
    {
        long messagesBefore = account.ReservedMessages, bytesBefore = account.ReservedBytes;
        account.Count(messages, bytes);
        Messages += messages;
        Bytes += bytes;
        _reservedMessages += account.ReservedMessages - messagesBefore;
        _reservedBytes += account.ReservedBytes - bytesBefore;
    }

    internal void Shut(PendingAccount account)
    {
        _shut.Add(account);
        Shuts++;
    }

    // A release may open any gate. The loop runs backwards because an opened gate leaves the list by swapping with the
    // last. That one has been visited, or its callback ran and it may shut again at the end.
    internal void OpenWhatCan()
    {
        for (int index = _shut.Count - 1; index >= 0; index--)
        {
            if (index >= _shut.Count) continue;
            PendingAccount account = _shut[index];
            if (!account.MayOpen) continue;
            Forget(index);
            account.OpenGate();
        }
    }

    internal void Forget(PendingAccount account)
    {
        int index = _shut.IndexOf(account);
        if (index >= 0) Forget(index);
    }

    private void Forget(int index)
    {
        _shut[index] = _shut[^1];
        _shut.RemoveAt(_shut.Count - 1);
    }
}
