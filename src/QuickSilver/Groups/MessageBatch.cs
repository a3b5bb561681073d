using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver;

/// <summary>
/// Consecutive messages of one sender at the moment of delivery, without a copy. A batch holds at least one message;
/// all have the same length and consecutive numbers. Valid only during the call that receives it. Reading costs no more
/// than reading the underlying memory.
/// </summary>
public readonly ref struct MessageBatch
{
    private readonly IInboxOwner _handle;
    private readonly NodeInfo _sender;
    private readonly ReadOnlySpan<byte> _payloads;
    private readonly int _distance;

    /// <summary>Creates a batch without a group, for tests of message handlers.</summary>
    /// <param name="payloads">The bytes of all messages, back to back; borrowed.</param>
    /// <param name="length">Length of each message, at least 1.</param>
    /// <param name="sender">The sender.</param>
    /// <param name="senderName">Name of the sender.</param>
    /// <param name="firstSequence">Number of the first message.</param>
    /// <param name="groupName">Name of the group.</param>
    /// <exception cref="ArgumentException">The bytes are not a whole number of messages, or are empty.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is less than 1.</exception>
    public MessageBatch(
        ReadOnlySpan<byte> payloads,
        int length,
        MemberId sender = default,
        string senderName = "",
        ulong firstSequence = 1,
        string groupName = "")
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(length, 1);
        ArgumentNullException.ThrowIfNull(groupName);
        if (payloads.IsEmpty || payloads.Length % length != 0)
            throw new ArgumentException(
                $"{payloads.Length} bytes are not whole messages of {length} bytes.", nameof(payloads));
        _handle = new DetachedOwner(groupName);
        _sender = DetachedOwner.Sender(sender, senderName);
        FirstSequence = firstSequence;
        _payloads = payloads;
        Length = length;
        _distance = length;
        Count = payloads.Length / length;
    }

    internal MessageBatch(
        IInboxOwner handle,
        NodeInfo sender,
        ulong firstSequence,
        ReadOnlySpan<byte> payloads,
        int length,
        int distance,
        int count)
    {
        _handle = handle;
        _sender = sender;
        FirstSequence = firstSequence;
        _payloads = payloads;
        Length = length;
        _distance = distance;
        Count = count;
    }

    /// <summary>Number of messages, at least 1.</summary>
    public int Count { get; }

    /// <summary>Length of each message, in bytes.</summary>
    public int Length { get; }

    /// <summary>Number of the first message, as in <see cref="MessageRef.Sequence"/>; the others follow without
    /// gaps.</summary>
    public ulong FirstSequence { get; }

    /// <summary>The node that sent the messages.</summary>
    public MemberId Sender => new(_sender);

    /// <summary>Readable name of the sender.</summary>
    public string SenderName => _sender.Name;

    /// <summary>Name of the group.</summary>
    public string GroupName => _handle.Name;

    /// <summary>The handle that received the messages; null for a batch that was created by hand.</summary>
    public Group? Group => Group.Of(_handle);

    /// <summary>Returns one message, in the order in which they were sent.</summary>
    /// <param name="index">Index of the message, from 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">The index is negative, or not below
    /// <see cref="Count"/>.</exception>
    public MessageRef this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count, nameof(index));
            return new MessageRef(
                _handle, _sender, FirstSequence + (ulong)index, _payloads.Slice(index * _distance, Length));
        }
    }

    /// <summary>Enumerates the messages in the order in which they were sent.</summary>
    public Enumerator GetEnumerator() => new(this);

    /// <summary>Returns part of the batch.</summary>
    internal MessageBatch Part(int first, int count) =>
        new(_handle, _sender, FirstSequence + (ulong)first, _payloads[(first * _distance)..], Length, _distance, count);

    /// <summary>Describes the batch for a log: "greetings 17 to 20 of host-4242-1, 5 bytes each". Allocates; not for
    /// every batch.</summary>
    public override string ToString() =>
        $"{_handle.Name} {FirstSequence} to {FirstSequence + (ulong)Count - 1} of {SenderName}, {Length} bytes each";

    /// <summary>Enumerates the messages of a batch.</summary>
    public ref struct Enumerator
    {
        private readonly MessageBatch _batch;
        private int _index;

        internal Enumerator(MessageBatch batch)
        {
            _batch = batch;
            _index = -1;
        }

        /// <summary>The current message.</summary>
        public readonly MessageRef Current => _batch[_index];

        /// <summary>Moves to the next message; false at the end.</summary>
        public bool MoveNext() => ++_index < _batch.Count;
    }
}
