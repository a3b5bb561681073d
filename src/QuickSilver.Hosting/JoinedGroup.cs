namespace QuickSilver.Hosting;

/// <summary>A group that the application joined at run time.</summary>
/// <param name="registration">Its settings.</param>
/// <param name="handles">Where it is listed until the application leaves it.</param>
internal sealed class JoinedGroup(GroupRegistration registration, HostedHandles handles)
    : HostedGroup(registration), IHostedGroup
{
    /// <inheritdoc/>
    public Task LeaveAsync(CancellationToken cancellationToken = default)
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

/// <summary>A group of values that the application joined at run time.</summary>
/// <param name="registration">Its settings.</param>
/// <param name="handles">Where it is listed until the application leaves it.</param>
internal sealed class JoinedGroup<T>(TypedGroupRegistration<T> registration, HostedHandles handles)
    : HostedGroup<T>(registration), IHostedGroup<T>
{
    /// <inheritdoc/>
    public Task LeaveAsync(CancellationToken cancellationToken = default)
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
