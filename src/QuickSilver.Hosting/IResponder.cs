using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>Answers the requests of a request group of a host. One instance for the host; called on pool threads,
/// several at once, once all services have started.</summary>
/// <typeparam name="TRequest">Type of the requests.</typeparam>
/// <typeparam name="TReply">Type of the replies.</typeparam>
public interface IResponder<TRequest, TReply>
{
    /// <summary>Answers a request. What it throws is an answer, too: <see cref="Reply{TReply}.Error"/>.</summary>
    /// <param name="request">The request, with its sender; the value stays the responder's.</param>
    /// <param name="cancellationToken">The group is left.</param>
    ValueTask<TReply> RespondAsync(TypedMessage<TRequest> request, CancellationToken cancellationToken);
}
