using QuickSilver.Protocol.Core;

namespace QuickSilver.Loop;

/// <summary>
/// Executes requests on the core thread. One long-lived object (a group, a node) is the target of many requests. A
/// request thus costs a slot of the <see cref="RequestQueue"/> and no allocation.
/// </summary>
internal interface IRequestTarget
{
    /// <summary>Runs one request, on the core thread.</summary>
    /// <param name="payload">The object passed with the request; or null.</param>
    /// <param name="argument">A number passed with the request, such as a kind, an index or a length.</param>
    /// <param name="now">The instant of the turn.</param>
    void Run(object? payload, long argument, Instant now);
}
