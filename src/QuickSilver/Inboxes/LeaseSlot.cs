using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The target of a <see cref="MessageLease"/>: one message's memory, reused for the next lease after its release. An
/// even version means free, an odd one leased. The version of a lease does not return within 2^31 leases of its slot,
/// so a copy that outlives its lease is detected.
/// <para>
/// Reads on any thread race with a release on another. Each read loads the fields first and checks the version
/// afterwards; only then does it use them. A read that copies bytes checks again after the copy. So it either throws
/// because the lease has ended, or returns the lease's own data.
/// </para>
/// </summary>
internal sealed class LeaseSlot(LeaseTable table)
{
    private InboxEntry _entry;
    private HandleInbox? _inbox;
    private int _version;

    /// <summary>The next free slot, while this one is free. Guarded by the table's lock.</summary>
    public LeaseSlot? NextFree { get; set; }

    /// <summary>Begins a lease. Called by the reader that took the entry, for a free slot.</summary>
    public MessageLease Begin(HandleInbox inbox, in InboxEntry entry)
    {
        _entry = entry;
        _inbox = inbox;
        int version = _version + 1;
        Volatile.Write(ref _version, version);
        return new MessageLease(this, version);
    }

    /// <summary>The message's bytes.</summary>
    public ReadOnlyMemory<byte> ReadPayload(int version)
    {
        InboxEntry entry = _entry;
        Check(version);
        return entry.Memory;
    }

    /// <summary>The message's sender.</summary>
    public NodeInfo ReadSender(int version)
    {
        NodeInfo? sender = _entry.Sender;
        Check(version);
        return sender!;
    }

    /// <summary>The message's number.</summary>
    public ulong ReadSequence(int version)
    {
        ulong number = _entry.Number;
        Check(version);
        return number;
    }

    /// <summary>The handle that received the message.</summary>
    public IInboxOwner ReadOwner(int version)
    {
        HandleInbox? inbox = _inbox;
        Check(version);
        return inbox!.Owner;
    }

    /// <summary>Copies the message.</summary>
    public Message CopyMessage(int version)
    {
        InboxEntry entry = _entry;
        HandleInbox? inbox = _inbox;
        Check(version);
        byte[] copy = entry.Memory.ToArray();
        Check(version);
        return new Message(inbox!.Owner, entry.Sender!, entry.Number, copy);
    }

    /// <summary>Describes the message for a log; null if the lease has ended.</summary>
    public string? Describe(int version)
    {
        NodeInfo? sender = _entry.Sender;
        ulong number = _entry.Number;
        HandleInbox? inbox = _inbox;
        int bytes = _entry.Length;
        return IsCurrent(version) ? Message.Describe(inbox!.Owner, sender!, number, bytes) : null;
    }

    /// <summary>Ends the lease, unless it has ended. Any thread.</summary>
    public void Release(int version)
    {
        if (Interlocked.CompareExchange(ref _version, version + 1, version) != version) return;
        HandleInbox inbox = _inbox!;
        InboxEntry entry = _entry;
        _entry = default;
        _inbox = null;
        table.OnReleased(this, inbox, entry);
    }

    private bool IsCurrent(int version)
    {
        Volatile.ReadBarrier();
        return Volatile.Read(ref _version) == version;
    }

    private void Check(int version)
    {
        if (!IsCurrent(version)) ThrowDisposed();
    }

    [DoesNotReturn]
    private static void ThrowDisposed() =>
        throw new ObjectDisposedException(nameof(MessageLease), "The lease has been disposed of.");
}
