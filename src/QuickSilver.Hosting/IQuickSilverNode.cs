using System.Text.Json.Serialization.Metadata;
using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>
/// The node of a host. It starts before the host calls <c>StartAsync</c> of any service, and stops after the last
/// <c>StopAsync</c>. It may be injected anywhere: a call that needs the running node waits for it. Any thread.
/// </summary>
public interface IQuickSilverNode
{
    /// <summary>The key of the node's services; null without one.</summary>
    string? Key { get; }

    /// <summary>The node; null before it has started.</summary>
    QuickSilverNode? Current { get; }

    /// <summary>Waits until the node has started.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The host has ended before the node started.</exception>
    /// <exception cref="Exception">The start failed; this is its exception.</exception>
    Task<QuickSilverNode> GetNodeAsync(CancellationToken cancellationToken = default);

    /// <summary>Returns a registered group. Does not wait.</summary>
    /// <param name="name">Name of the group.</param>
    /// <exception cref="ArgumentException">No such group is registered at this node.</exception>
    IQuickSilverGroup GetGroup(string name);

    /// <summary>Returns a registered group of values. Does not wait.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <exception cref="ArgumentException">No such group is registered at this node, or its values have another
    /// type.</exception>
    IQuickSilverGroup<T> GetGroup<T>(string name);

    /// <summary>Returns a registered publisher. Does not wait.</summary>
    /// <param name="name">Name of the group.</param>
    /// <exception cref="ArgumentException">No such publisher is registered at this node.</exception>
    IQuickSilverPublisher GetPublisher(string name);

    /// <summary>Returns a registered publisher of values. Does not wait.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <exception cref="ArgumentException">No such publisher is registered at this node, or its values have another
    /// type.</exception>
    IQuickSilverPublisher<T> GetPublisher<T>(string name);

    /// <summary>Returns a registered inbox. Does not wait.</summary>
    /// <param name="name">Name of the inbox.</param>
    /// <exception cref="ArgumentException">No such inbox is registered at this node.</exception>
    IQuickSilverInbox GetInbox(string name);

    /// <summary>
    /// Joins a group at run time, also one that is joined or registered already: each has a handle of its own. The
    /// group is joined again after an eviction or a slow reader, and left by its own dispose or with the host. Waits
    /// for the node.
    /// </summary>
    /// <param name="name">Name of the group, as in <see cref="QuickSilverNode.JoinAsync"/>.</param>
    /// <param name="configure">Sets the options of the group; called once.</param>
    /// <param name="cancellationToken">Cancels the join; its effects are undone.</param>
    /// <exception cref="ArgumentException">The name or an option is invalid.</exception>
    /// <exception cref="OperationCanceledException">The join was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The host has ended.</exception>
    /// <exception cref="QuickSilverException">The join failed.</exception>
    Task<IHostedGroup> JoinAsync(
        string name, Action<HostedGroupOptions>? configure = null, CancellationToken cancellationToken = default);

    /// <summary>Joins a group of values at run time, serialized by System.Text.Json. Otherwise as the overload
    /// above.</summary>
    /// <inheritdoc cref="JoinAsync(string, Action{HostedGroupOptions}, CancellationToken)"/>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <param name="json">Metadata of the type, made by the source generator of System.Text.Json.</param>
    /// <param name="configure">Sets the options of the group.</param>
    /// <param name="cancellationToken">Cancels the join.</param>
    Task<IHostedGroup<T>> JoinAsync<T>(
        string name, JsonTypeInfo<T> json, Action<HostedGroupOptions>? configure = null,
        CancellationToken cancellationToken = default);

    /// <summary>Joins a group of values at run time, with a serializer of one's own. Otherwise as the overload
    /// above.</summary>
    /// <inheritdoc cref="JoinAsync(string, Action{HostedGroupOptions}, CancellationToken)"/>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <param name="serializer">Turns values into bytes and back.</param>
    /// <param name="configure">Sets the options of the group.</param>
    /// <param name="cancellationToken">Cancels the join.</param>
    Task<IHostedGroup<T>> JoinAsync<T>(
        string name, IPayloadSerializer<T> serializer, Action<HostedGroupOptions>? configure = null,
        CancellationToken cancellationToken = default);

    /// <summary>Opens a publisher at run time. It is opened again after an eviction, and closed by its own dispose or
    /// with the host. Waits for the node.</summary>
    /// <param name="name">Name of the group, as in <see cref="QuickSilverNode.OpenPublisherAsync"/>.</param>
    /// <param name="configure">Sets the options of the publisher; called once.</param>
    /// <param name="cancellationToken">Cancels the opening; its effects are undone.</param>
    /// <exception cref="ArgumentException">The name or an option is invalid.</exception>
    /// <exception cref="OperationCanceledException">The opening was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The host has ended.</exception>
    /// <exception cref="QuickSilverException">The opening failed.</exception>
    Task<IHostedPublisher> OpenPublisherAsync(
        string name, Action<HostedPublisherOptions>? configure = null, CancellationToken cancellationToken = default);

    /// <summary>Opens a publisher of values at run time, serialized by System.Text.Json. Otherwise as the overload
    /// above.</summary>
    /// <inheritdoc cref="OpenPublisherAsync(string, Action{HostedPublisherOptions}, CancellationToken)"/>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <param name="json">Metadata of the type, made by the source generator of System.Text.Json.</param>
    /// <param name="configure">Sets the options of the publisher.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    Task<IHostedPublisher<T>> OpenPublisherAsync<T>(
        string name, JsonTypeInfo<T> json, Action<HostedPublisherOptions>? configure = null,
        CancellationToken cancellationToken = default);

    /// <summary>Opens a publisher of values at run time, with a serializer of one's own. Otherwise as the overload
    /// above.</summary>
    /// <inheritdoc cref="OpenPublisherAsync(string, Action{HostedPublisherOptions}, CancellationToken)"/>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <param name="serializer">Turns values into bytes.</param>
    /// <param name="configure">Sets the options of the publisher.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    Task<IHostedPublisher<T>> OpenPublisherAsync<T>(
        string name, IPayloadSerializer<T> serializer, Action<HostedPublisherOptions>? configure = null,
        CancellationToken cancellationToken = default);

    /// <summary>Returns a registered request group. Does not wait.</summary>
    /// <typeparam name="TRequest">Type of the requests.</typeparam>
    /// <typeparam name="TReply">Type of the replies.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <exception cref="ArgumentException">No such group is registered at this node, or with other types.</exception>
    IQuickSilverRequestGroup<TRequest, TReply> GetRequestGroup<TRequest, TReply>(string name);
}
