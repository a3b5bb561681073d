using System.Diagnostics;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Typed;

/// <summary>
/// Sends and receives values through a handle on a group. Every member of the group must use the same envelope and
/// format: a message that is no value is reported by <see cref="Undeserialized"/>, counted, and skipped. Any thread.
/// Beside the serializer's own, it costs an envelope of two bytes a message, and no allocation without headers.
/// </summary>
/// <typeparam name="T">Type of the values.</typeparam>
public sealed class Group<T> : IAsyncDisposable
{
    private readonly IPayloadSerializer<T> _serializer;
    private readonly TypedSending<T> _sending;
    private long _undeserialized;

    internal Group(Group raw, IPayloadSerializer<T> serializer, TypedGroupOptions? options)
    {
        Raw = raw;
        _serializer = serializer;
        _sending = new TypedSending<T>(raw, serializer, options);
    }

    /// <summary>Reports a message that is no value, with its raw bytes. Raised on the reader's thread, in its turn
    /// among the messages; an exception of a handler reaches the reader.</summary>
    public event EventHandler<UndeserializedMessage>? Undeserialized;

    /// <summary>The handle, for all that needs no values: views, flushes, leaving.</summary>
    public Group Raw { get; }

    /// <summary>Name of the group.</summary>
    public string Name => Raw.Name;

    /// <summary>Number of messages that were no values.</summary>
    public long UndeserializedMessages => Volatile.Read(ref _undeserialized);

    /// <summary>Sends a value as <see cref="MessageSender.SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>, with
    /// its exceptions. The value is serialized before the call returns.</summary>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">Cancels the wait for admission; the value is then not sent.</param>
    /// <exception cref="PayloadSerializationException">The serializer threw; nothing was sent.</exception>
    public ValueTask SendAsync(T value, CancellationToken cancellationToken = default) =>
        _sending.SendAsync(value, MessageHeaders.None, cancellationToken);

    /// <summary>Sends a value with headers. Otherwise as the overload above.</summary>
    /// <param name="value">The value.</param>
    /// <param name="headers">The headers. A trace context among them is replaced while this node traces.</param>
    /// <param name="cancellationToken">Cancels the wait for admission; the value is then not sent.</param>
    /// <exception cref="ArgumentException">All headers together take more than 65,535 bytes.</exception>
    public ValueTask SendAsync(T value, MessageHeaders headers, CancellationToken cancellationToken = default) =>
        _sending.SendAsync(value, headers, cancellationToken);

    /// <summary>Sends a value and waits until every live member holds it, as
    /// <see cref="MessageSender.SendConfirmedAsync(ReadOnlyMemory{byte}, CancellationToken)"/>, with its
    /// exceptions. Allocates the bytes of the value.</summary>
    /// <param name="value">The value.</param>
    /// <param name="headers">The headers; null for none.</param>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    /// <exception cref="PayloadSerializationException">The serializer threw; nothing was sent.</exception>
    public Task<DeliveryReport> SendConfirmedAsync(
        T value, MessageHeaders? headers = null, CancellationToken cancellationToken = default) =>
        _sending.SendConfirmedAsync(value, headers, cancellationToken);

    /// <summary>
    /// Reads all values, as <see cref="Group.ReadAllAsync"/> reads messages, without a copy of their bytes. Leaving the
    /// loop loses nothing: the next reader continues there.
    /// </summary>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    /// <exception cref="InvalidOperationException">Another reader of the handle is active.</exception>
    /// <exception cref="OperationCanceledException">The enumeration was cancelled.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    public IAsyncEnumerable<TypedMessage<T>> ReadAllAsync(CancellationToken cancellationToken = default) =>
        Raw.ReadTakenAsync<TypedMessage<T>>(TryTake, cancellationToken);

    /// <summary>Leaves the group, as <see cref="MessageSender.DisposeAsync"/>.</summary>
    public ValueTask DisposeAsync() => Raw.DisposeAsync();

    /// <summary>Name of the group and of the node, for logs.</summary>
    public override string ToString() => Raw.ToString();

    private bool TryTake(EntryReader<InboxEntry> reader, in InboxEntry entry, out TypedMessage<T> message)
    {
        try
        {
            message = Read(entry);
            reader.OnCopied(entry);
            return true;
        }
        catch (Exception fault)
        {
            Skip(reader, entry, fault);
            message = default;
            return false;
        }
    }

    // What runs out of memory leaves the message to the next reader, uncounted.
    private void Skip(EntryReader<InboxEntry> reader, in InboxEntry entry, Exception fault)
    {
        var message = new UndeserializedMessage(Raw.Copy(entry), fault);
        bool isSkipped = true;
        Interlocked.Increment(ref _undeserialized);
        try
        {
            Undeserialized?.Invoke(this, message);
        }
        catch (OutOfMemoryException)
        {
            isSkipped = false;
            throw;
        }
        finally
        {
            if (isSkipped) reader.OnCopied(entry);
        }
    }

    private TypedMessage<T> Read(in InboxEntry entry)
    {
        ReadOnlyMemory<byte> payload = entry.Memory;
        int start = Envelope.Read(payload.Span, out MessageHeaders? headers);
        ActivityContext context = _sending.Traces
            ? Tracing.Receive(Name, Tracing.ContextOf(headers), payload.Length - start)
            : default;
        LatencySamples.Note(headers);
        T value = _serializer.Deserialize(payload[start..]);
        NodeInfo sender = entry.Sender!;
        return new TypedMessage<T>(value, new MemberId(sender), sender.Name, entry.Number, headers)
        {
            TraceContext = context,
        };
    }
}
