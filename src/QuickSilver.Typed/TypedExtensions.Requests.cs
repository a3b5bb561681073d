using System.Text.Json.Serialization.Metadata;

#pragma warning disable RS0026 // The overloads were there, in three classes.

namespace QuickSilver.Typed;

/// <summary>Groups for requests and replies.</summary>
public static partial class TypedExtensions
{
    /// <summary>Joins a group for requests and replies, as <see cref="QuickSilverNode.JoinAsync"/>, with its
    /// exceptions.</summary>
    /// <typeparam name="TRequest">Type of the requests.</typeparam>
    /// <typeparam name="TReply">Type of the replies.</typeparam>
    /// <param name="node">The node.</param>
    /// <param name="name">Name of the group.</param>
    /// <param name="requests">Metadata of the requests, made by the source generator of System.Text.Json.</param>
    /// <param name="replies">Metadata of the replies.</param>
    /// <param name="responder">Answers requests, on a pool thread, several at once; also this node's own. What it
    /// throws is an answer. Its token is cancelled when the group is left. Null: this node only asks.</param>
    /// <param name="options">Settings of the group at this node.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">The name or an option is invalid.</exception>
    public static Task<RequestGroup<TRequest, TReply>> JoinRequestsAsync<TRequest, TReply>(
        this QuickSilverNode node,
        string name,
        JsonTypeInfo<TRequest> requests,
        JsonTypeInfo<TReply> replies,
        Func<TypedMessage<TRequest>, CancellationToken, ValueTask<TReply>>? responder = null,
        RequestGroupOptions? options = null,
        CancellationToken cancellationToken = default) => JoinRequestsAsync(
            node,
            name,
            new JsonPayloadSerializer<TRequest>(requests),
            new JsonPayloadSerializer<TReply>(replies),
            responder,
            options,
            cancellationToken);

    /// <summary>Joins a group for requests and replies with serializers of one's own. Otherwise as the overload
    /// above.</summary>
    /// <typeparam name="TRequest">Type of the requests.</typeparam>
    /// <typeparam name="TReply">Type of the replies.</typeparam>
    /// <param name="node">The node.</param>
    /// <param name="name">Name of the group.</param>
    /// <param name="requests">Serializes requests.</param>
    /// <param name="replies">Serializes replies.</param>
    /// <param name="responder">Answers requests; null: this node only asks.</param>
    /// <param name="options">Settings of the group at this node.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">The name or an option is invalid.</exception>
    public static async Task<RequestGroup<TRequest, TReply>> JoinRequestsAsync<TRequest, TReply>(
        this QuickSilverNode node,
        string name,
        IPayloadSerializer<TRequest> requests,
        IPayloadSerializer<TReply> replies,
        Func<TypedMessage<TRequest>, CancellationToken, ValueTask<TReply>>? responder = null,
        RequestGroupOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(node);
        ArgumentNullException.ThrowIfNull(requests);
        ArgumentNullException.ThrowIfNull(replies);
        options ??= new RequestGroupOptions();
        options.Validate(nameof(options));
        var own = new RequestGroupOptions { Timeout = options.Timeout, MaxConcurrency = options.MaxConcurrency };
        // A node that asks answers itself, too.
        var handle = new GroupOptions { SelfDelivery = true };
        Group raw = await node.JoinAsync(name, handle, cancellationToken).ConfigureAwait(false);
        return new RequestGroup<TRequest, TReply>(raw, requests, replies, responder, own);
    }
}
