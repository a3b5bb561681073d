namespace QuickSilver.Hosting;

/// <summary>A publisher that the application opened at run time.</summary>
/// <param name="registration">Its settings.</param>
/// <param name="handles">Where it is listed until the application closes it.</param>
internal sealed class OpenedPublisher(PublisherRegistration registration, HostedHandles handles)
    : HostedPublisher(registration), IHostedPublisher
{
    /// <inheritdoc/>
    public Task CloseAsync(CancellationToken cancellationToken = default)
    {
        handles.Remove(this);
        return EndAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        handles.Remove(this);
        return EndDisposedAsync();
    }
}

/// <summary>A publisher of values that the application opened at run time.</summary>
/// <param name="registration">Its settings.</param>
/// <param name="handles">Where it is listed until the application closes it.</param>
internal sealed class OpenedPublisher<T>(TypedPublisherRegistration<T> registration, HostedHandles handles)
    : HostedPublisher<T>(registration), IHostedPublisher<T>
{
    /// <inheritdoc/>
    public Task CloseAsync(CancellationToken cancellationToken = default)
    {
        handles.Remove(this);
        return EndAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        handles.Remove(this);
        return EndDisposedAsync();
    }
}
