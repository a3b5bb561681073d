using System.Text.Json.Serialization.Metadata;
using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <content>What the application joins and opens at run time.</content>
internal sealed partial class HostedNode
{
    /// <inheritdoc/>
    public async Task<IHostedGroup> JoinAsync(
        string name, Action<HostedGroupOptions>? configure = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(name);
        var group = new JoinedGroup(new GroupRegistration(name, configure), Handles);
        await StartAsync(group, cancellationToken).ConfigureAwait(false);
        return group;
    }

    /// <inheritdoc/>
    public Task<IHostedGroup<T>> JoinAsync<T>(
        string name, JsonTypeInfo<T> json, Action<HostedGroupOptions>? configure = null,
        CancellationToken cancellationToken = default) =>
        JoinAsync(name, new JsonPayloadSerializer<T>(json), configure, cancellationToken);

    /// <inheritdoc/>
    public async Task<IHostedGroup<T>> JoinAsync<T>(
        string name, IPayloadSerializer<T> serializer, Action<HostedGroupOptions>? configure = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(serializer);
        var group = new JoinedGroup<T>(new TypedGroupRegistration<T>(name, configure, serializer), Handles);
        await StartAsync(group, cancellationToken).ConfigureAwait(false);
        return group;
    }

    /// <inheritdoc/>
    public async Task<IHostedPublisher> OpenPublisherAsync(
        string name, Action<HostedPublisherOptions>? configure = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(name);
        var publisher = new OpenedPublisher(new PublisherRegistration(name, configure), Handles);
        await StartAsync(publisher, cancellationToken).ConfigureAwait(false);
        return publisher;
    }

    /// <inheritdoc/>
    public Task<IHostedPublisher<T>> OpenPublisherAsync<T>(
        string name, JsonTypeInfo<T> json, Action<HostedPublisherOptions>? configure = null,
        CancellationToken cancellationToken = default) =>
        OpenPublisherAsync(name, new JsonPayloadSerializer<T>(json), configure, cancellationToken);

    /// <inheritdoc/>
    public async Task<IHostedPublisher<T>> OpenPublisherAsync<T>(
        string name, IPayloadSerializer<T> serializer, Action<HostedPublisherOptions>? configure = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(serializer);
        var publisher = new OpenedPublisher<T>(
            new TypedPublisherRegistration<T>(name, configure, serializer), Handles);
        await StartAsync(publisher, cancellationToken).ConfigureAwait(false);
        return publisher;
    }

    private Task StartAsync(HostedGroup group, CancellationToken cancellationToken)
    {
        Handles.Check(group.Registration);
        Handles.Connect(group);
        return StartAsync<Group>(group, cancellationToken);
    }

    private Task StartAsync(HostedPublisher publisher, CancellationToken cancellationToken)
    {
        HostedHandles.Check(publisher.Registration.Findings());
        return StartAsync<GroupPublisher>(publisher, cancellationToken);
    }

    private async Task StartAsync<THandle>(HostedSender<THandle> sender, CancellationToken cancellationToken)
        where THandle : MessageSender
    {
        QuickSilverNode node = await GetNodeAsync(cancellationToken).ConfigureAwait(false);
        sender.Connect(_meter!, _log);
        // From here on the host ends it, whatever comes first.
        Handles.Add(sender);
        try
        {
            await sender.StartAsync(node, cancellationToken, _stop).ConfigureAwait(false);
        }
        catch
        {
            Handles.Remove(sender);
            throw;
        }
    }
}
