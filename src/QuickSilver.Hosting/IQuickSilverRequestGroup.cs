using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>A request group of a hosted node, joined again after an eviction, and after its reader was too slow. Any
/// thread.</summary>
/// <typeparam name="TRequest">Type of the requests.</typeparam>
/// <typeparam name="TReply">Type of the replies.</typeparam>
public interface IQuickSilverRequestGroup<TRequest, TReply>
{
    /// <summary>Name of the group.</summary>
    string Name { get; }

    /// <summary>The present handle; null before the node has started, while the group is joined again, and at its
    /// end.</summary>
    RequestGroup<TRequest, TReply>? Current { get; }

    /// <summary>As <see cref="RequestGroup{TRequest, TReply}.RequestAsync"/>, with its exceptions, once the group is
    /// joined.</summary>
    /// <param name="request">The request.</param>
    /// <param name="replies">How many values are enough, errors not counted; null: the answers of all members with a
    /// responder.</param>
    /// <param name="timeout">Limit of the wait for answers; null: that of the options.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ObjectDisposedException">The host has ended.</exception>
    Task<ReplySet<TReply>> RequestAsync(
        TRequest request,
        int? replies = null,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default);
}
