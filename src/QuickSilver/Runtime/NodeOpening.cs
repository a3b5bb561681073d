using QuickSilver.Diagnostics;
using QuickSilver.Membership;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>The resources of a start: sockets on an interface, and a way to the membership. <see cref="NodeComposer"/>
/// builds a node from them.</summary>
/// <param name="Options">The node's own copy of its options, validated.</param>
/// <param name="Name">The node's name.</param>
/// <param name="Log">The node's log.</param>
/// <param name="Reporter">Logs trouble with the network and the membership server.</param>
/// <param name="Settings">The settings of the transport.</param>
/// <param name="Transport">The open sockets.</param>
/// <param name="Connector">Connects to the membership server; in a hosting process it also runs one.</param>
/// <param name="Begun">The beginning of the start, as a <c>Stopwatch</c> timestamp.</param>
internal sealed record NodeOpening(
    QuickSilverOptions Options,
    string Name,
    NodeLog Log,
    NodeReporter Reporter,
    TransportSettings Settings,
    IHostTransport Transport,
    MembershipConnector Connector,
    long Begun);
