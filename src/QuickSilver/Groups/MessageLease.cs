using System.Diagnostics.CodeAnalysis;
using QuickSilver.Inboxes;

namespace QuickSilver;

/// <summary>
/// A received message without a copy: the bytes lie in the node's receive memory until <see cref="Dispose"/>, which the reader owes, from any thread,
/// in any order, also after the node is gone. Until then they count as unread bytes of the inbox. A value of slot and version: copies are safe, and
/// all end with the first dispose. The payload must not be touched afterwards.
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

    /// <summary>The bytes; theirs is the lease's life.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public ReadOnlyMemory<byte> Payload => Slot.ReadPayload(_version);

    /// <summary>Who sent it.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public MemberId Sender => new(Slot.ReadSender(_version));

    /// <summary>The sender's name, for people.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public string SenderName => Slot.ReadSender(_version).Name;

    /// <summary>Its number per (sender's incarnation, group), from 1, without gaps but for losses.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public ulong Sequence => Slot.ReadSequence(_version);

    /// <summary>The name of its group.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public string GroupName => Slot.ReadOwner(_version).Name;

    /// <summary>The handle it came by.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public Group Group => (Group)Slot.ReadOwner(_version).Facade;

    private LeaseSlot Slot =>
        _slot ?? throw new ObjectDisposedException(nameof(MessageLease), "This lease is the default value: it never held a message.");

    /// <summary>An owned copy.</summary>
    /// <exception cref="ObjectDisposedException">The lease has been disposed of.</exception>
    public Message ToMessage() => Slot.CopyMessage(_version);

    /// <summary>Gives the memory back; again: nothing. Any thread.</summary>
    public void Dispose() => _slot?.Release(_version);

    /// <summary>True when both are copies of one lease.</summary>
    public bool Equals(MessageLease other) => ReferenceEquals(_slot, other._slot) && _version == other._version;

    /// <inheritdoc/>
    public override bool Equals([NotNullWhen(true)] object? obj) => obj is MessageLease other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_slot, _version);

    /// <summary>True when both are copies of one lease.</summary>
    public static bool operator ==(MessageLease left, MessageLease right) => left.Equals(right);

    /// <summary>"greetings 17 of host-4242-1, 5 bytes"; "a lease that has ended" when it has. Throws nothing. Allocates the text:
    /// not for every message.</summary>
    public override string ToString() => _slot?.Describe(_version) ?? "a lease that has ended";

    /// <summary>True when they are different leases.</summary>
    public static bool operator !=(MessageLease left, MessageLease right) => !left.Equals(right);
}
