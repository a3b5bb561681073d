namespace QuickSilver.Typed;

/// <summary>
/// Sends values through a <see cref="GroupPublisher"/>: its node is no member of the group, and receives nothing.
/// Members read the values as <see cref="Group{T}"/> with the same envelope and format. Any thread. Beside the
/// serializer's own, it costs an envelope of two bytes a message, and no allocation without headers.
/// </summary>
/// <typeparam name="T">Type of the values.</typeparam>
public sealed class Publisher<T> : IAsyncDisposable
{
    private readonly TypedSending<T> _sending;

    internal Publisher(GroupPublisher raw, IPayloadSerializer<T> serializer, TypedGroupOptions? options)
    {
        Raw = raw;
        _sending = new TypedSending<T>(raw, serializer, options);
    }

    /// <summary>The handle, for all that needs no values: views, flushes, closing.</summary>
    public GroupPublisher Raw { get; }

    /// <summary>Name of the group.</summary>
    public string Name => Raw.Name;

    /// <summary>Sends a value as <see cref="MessageSender.SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>, with
    /// its exceptions. The value is serialized before the call returns.</summary>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">Cancels the wait for admission; the value is then not sent.</param>
    /// <exception cref="PayloadSerializationException">The serializer threw; nothing was sent.</exception>
    public ValueTask SendAsync(T value, CancellationToken cancellationToken = default) =>
        _sending.SendAsync(value, MessageHeaders.None, cancellationToken);

    /// <summary>Sends a value with headers. Otherwise as the overload above.</summary>
    /// <inheritdoc cref="SendAsync(T, CancellationToken)"/>
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

    /// <summary>Closes the publisher, as <see cref="MessageSender.DisposeAsync"/>.</summary>
    public ValueTask DisposeAsync() => Raw.DisposeAsync();

    /// <summary>Name of the group and of the node, for logs.</summary>
    public override string ToString() => Raw.ToString();
}
