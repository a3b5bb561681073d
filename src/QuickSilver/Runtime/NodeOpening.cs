using QuickSilver.Diagnostics;
using QuickSilver.Membership;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>What a start has of the outside: sockets on an interface, and a way to the membership. <see cref="NodeComposer"/> makes a node of it.
/// </summary>
/// <param name="Options">The node's own copy, valid.</param>
/// <param name="Name">The node's name.</param>
/// <param name="Log">The node's log.</param>
/// <param name="Reporter">Tells people.</param>
/// <param name="Settings">What the transport was told.</param>
/// <param name="Transport">The sockets.</param>
/// <param name="Connector">The way to the membership; in a process that is to host it, it serves.</param>
/// <param name="Begun">When the start began, as a timestamp of the stopwatch.</param>
internal sealed record NodeOpening(
    QuickSilverOptions Options,
    string Name,
    NodeLog Log,
    NodeReporter Reporter,
    TransportSettings Settings,
    IHostTransport Transport,
    MembershipConnector Connector,
    long Begun);
