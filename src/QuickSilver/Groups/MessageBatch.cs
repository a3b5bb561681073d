using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver;

/// <summary>
/// Messages of one sender at the moment of their delivery, without a copy: at least one, all of one length, with consecutive numbers. Cannot leave the
/// call that it is handed to. Reading it costs no more than reading the memory that the messages lie in.
/// </summary>
public readonly ref struct MessageBatch
{
    private readonly IInboxOwner _handle;
    private readonly NodeInfo _sender;
    private readonly ReadOnlySpan<byte> _payloads;
    private readonly int _distance;

    /// <summary>Makes a batch by hand, for tests of code that handles messages. It belongs to no group.</summary>
    /// <param name="payloads">The messages' bytes, one message behind the other; borrowed.</param>
    /// <param name="length">Bytes of each message, at least one.</param>
    /// <param name="sender">Their sender.</param>
    /// <param name="senderName">The sender's name.</param>
    /// <param name="firstSequence">Number of the first.</param>
    /// <param name="groupName">The name of their group.</param>
    /// <exception cref="ArgumentException">The bytes are not one whole message or more.</exception>
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
            throw new ArgumentException($"{payloads.Length} bytes are not whole messages of {length} bytes.", nameof(payloads));
        _handle = new DetachedOwner(groupName);
        _sender = DetachedOwner.Sender(sender, senderName);
        FirstSequence = firstSequence;
        _payloads = payloads;
        Length = length;
        _distance = length;
        Count = payloads.Length / length;
    }

    internal MessageBatch(
        IInboxOwner handle, NodeInfo sender, ulong firstSequence, ReadOnlySpan<byte> payloads, int length, int distance, int count)
    {
        _handle = handle;
        _sender = sender;
        FirstSequence = firstSequence;
        _payloads = payloads;
        Length = length;
        _distance = distance;
        Count = count;
    }

    /// <summary>Messages, at least one.</summary>
    public int Count { get; }

    /// <summary>Bytes of each.</summary>
    public int Length { get; }

    /// <summary>Number of the first, as in <see cref="MessageRef.Sequence"/>; each of the others has the one after that of the message before.</summary>
    public ulong FirstSequence { get; }

    /// <summary>Who sent them.</summary>
    public MemberId Sender => new(_sender);

    /// <summary>The sender's name, for people.</summary>
    public string SenderName => _sender.Name;

    /// <summary>The name of their group.</summary>
    public string GroupName => _handle.Name;

    /// <summary>The handle they came by.</summary>
    /// <exception cref="InvalidOperationException">The batch was made by hand.</exception>
    public Group Group => (Group)_handle.Facade;

    /// <summary>One of the messages, in the order in which they were sent.</summary>
    /// <param name="index">From 0 to below <see cref="Count"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is none.</exception>
    public MessageRef this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count, nameof(index));
            return new MessageRef(_handle, _sender, FirstSequence + (ulong)index, _payloads.Slice(index * _distance, Length));
        }
    }

    /// <summary>All messages, in the order in which they were sent.</summary>
    public Enumerator GetEnumerator() => new(this);

    /// <summary>Some of the messages.</summary>
    internal MessageBatch Part(int first, int count) =>
        new(_handle, _sender, FirstSequence + (ulong)first, _payloads[(first * _distance)..], Length, _distance, count);

    /// <summary>"greetings 17 to 20 of host-4242-1, 5 bytes each". Allocates the text: not for every batch.</summary>
    public override string ToString() => $"{_handle.Name} {FirstSequence} to {FirstSequence + (ulong)Count - 1} of {SenderName}, {Length} bytes each";

    /// <summary>Walks a batch.</summary>
    public ref struct Enumerator
    {
        private readonly MessageBatch _batch;
        private int _index;

        internal Enumerator(MessageBatch batch)
        {
            _batch = batch;
            _index = -1;
        }

        /// <summary>The message.</summary>
        public readonly MessageRef Current => _batch[_index];

        /// <summary>Goes on to the next.</summary>
        public bool MoveNext() => ++_index < _batch.Count;
    }
}
