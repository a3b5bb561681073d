using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership.Agent;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// The environment of a node's protocol: given by the core thread at run time, by the simulator in tests.
/// </summary>
/// <param name="Alarms">Fires the node's timers.</param>
/// <param name="Transport">Its sockets.</param>
/// <param name="Link">Its channel to the membership server.</param>
/// <param name="Upcalls">Receives its events.</param>
/// <param name="Random">Its randomness.</param>
/// <param name="Pool">Its memory.</param>
internal sealed record NodeHost(
    AlarmQueue Alarms,
    ITransport Transport,
    IMembershipLink Link,
    INodeUpcalls Upcalls,
    SeededRandom Random,
    BufferPool Pool)
{
    /// <summary>
    /// Total time that the application's handlers have taken on the core thread since the start. Null: nobody measures
    /// it, and no member is said to be behind because of its handlers.
    /// </summary>
    public Func<TimeSpan>? HandlerTime { get; init; }
}
