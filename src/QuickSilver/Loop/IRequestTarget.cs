using QuickSilver.Protocol.Core;

namespace QuickSilver.Loop;

/// <summary>
/// What a request does when its turn comes. One long-lived object (a group, a node) is the target of any number of requests, so that a request costs
/// a slot of the <see cref="RequestQueue"/> and no object.
/// </summary>
internal interface IRequestTarget
{
    /// <summary>Runs one request, on the core thread.</summary>
    /// <param name="payload">What the request brought.</param>
    /// <param name="argument">A number it brought besides: a kind, an index, a length.</param>
    /// <param name="now">The instant of the turn.</param>
    void Run(object? payload, long argument, Instant now);
}
