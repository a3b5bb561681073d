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

    /// <summary>Returns a registered request group. Does not wait.</summary>
    /// <typeparam name="TRequest">Type of the requests.</typeparam>
    /// <typeparam name="TReply">Type of the replies.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <exception cref="ArgumentException">No such group is registered at this node, or with other types.</exception>
    IQuickSilverRequestGroup<TRequest, TReply> GetRequestGroup<TRequest, TReply>(string name);
}
