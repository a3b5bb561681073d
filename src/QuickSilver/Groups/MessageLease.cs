using System.Diagnostics.CodeAnalysis;
using QuickSilver.Inboxes;

namespace QuickSilver;

/// <summary>
/// A received message without a copy: its bytes stay in the node's receive memory until <see cref="Dispose"/>. The
/// reader must dispose of every lease, from any thread, in any order, even after the node has ended. Until then its
/// bytes count as unread in the inbox. Copies of a lease are safe: the first dispose ends all of them. The payload must
/// not be used afterwards.
/// </summary>
public readonly struct MessageLease : IDisposable, IEquatable<MessageLease>
{
    private readonly LeaseSlot? _slot;
    private readonly int _version;

    internal MessageLease(LeaseSlot slot, int version)
    {
        _slot = slot;
        _version = version;
    }

    /// <summary>The bytes of the message, valid until the lease is disposed of.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public ReadOnlyMemory<byte> Payload => Slot.ReadPayload(_version);

    /// <summary>The node that sent the message.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public MemberId Sender => new(Slot.ReadSender(_version));

    /// <summary>Readable name of the sender.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public string SenderName => Slot.ReadSender(_version).Name;

    /// <summary>Number of the message, per group and incarnation of the sender, from 1. Gaps mean lost
    /// messages.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public ulong Sequence => Slot.ReadSequence(_version);

    /// <summary>Name of the group.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public string GroupName => Slot.ReadOwner(_version).Name;

    /// <summary>The handle that received the message.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public Group Group => Group.Of(Slot.ReadOwner(_version))!;

    private LeaseSlot Slot =>
        _slot ?? throw new ObjectDisposedException(
            nameof(MessageLease), "This lease is the default value: it never held a message.");

    /// <summary>Copies the message, so that the lease can be disposed of.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public Message ToMessage() => Slot.CopyMessage(_version);

    /// <summary>Releases the memory. Repeated calls have no effect. Any thread.</summary>
    public void Dispose() => _slot?.Release(_version);

    /// <summary>True if both are copies of one lease.</summary>
    public bool Equals(MessageLease other) => ReferenceEquals(_slot, other._slot) && _version == other._version;

    /// <inheritdoc/>
    public override bool Equals([NotNullWhen(true)] object? obj) => obj is MessageLease other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_slot, _version);

    /// <summary>True if both are copies of one lease.</summary>
    public static bool operator ==(MessageLease left, MessageLease right) => left.Equals(right);

    /// <summary>Describes the message for a log: "greetings 17 of host-4242-1, 5 bytes", or "a lease that has ended".
    /// Never throws. Allocates; not for every message.</summary>
    public override string ToString() => _slot?.Describe(_version) ?? "a lease that has ended";

    /// <summary>True if they are different leases.</summary>
    public static bool operator !=(MessageLease left, MessageLease right) => !left.Equals(right);
}
