using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>What applications see of a publisher of values of a hosted node.</summary>
/// <param name="registration">What the application has registered.</param>
internal class HostedPublisher<T>(TypedPublisherRegistration<T> registration)
    : HostedPublisher(registration), IQuickSilverPublisher<T>
{
    private Publisher<T>? _typed;

    /// <inheritdoc/>
    public IQuickSilverPublisher Raw => this;

    /// <inheritdoc/>
    public ValueTask SendAsync(
        T value, MessageHeaders? headers = null, CancellationToken cancellationToken = default) =>
        SendAsync(
            (Publisher: this, Value: value, Headers: headers ?? MessageHeaders.None),
            static (handle, message, stop) =>
                message.Publisher.TypedOf(handle).SendAsync(message.Value, message.Headers, stop),
            cancellationToken);

    /// <inheritdoc/>
    public async Task<DeliveryReport> SendConfirmedAsync(
        T value, MessageHeaders? headers = null, CancellationToken cancellationToken = default)
    {
        GroupPublisher handle = await GetHandleAsync(cancellationToken).ConfigureAwait(false);
        return await TypedOf(handle).SendConfirmedAsync(value, headers, cancellationToken).ConfigureAwait(false);
    }

    private Publisher<T> TypedOf(GroupPublisher handle)
    {
        if (Volatile.Read(ref _typed) is { } typed && ReferenceEquals(typed.Raw, handle)) return typed;
        Publisher<T> made = handle.As(registration.Serializer, registration.Options.Typed);
        Volatile.Write(ref _typed, made);
        return made;
    }
}
