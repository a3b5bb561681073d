using System.Buffers.Binary;
using System.Security.Cryptography;
using QuickSilver.Diagnostics;
using QuickSilver.Loop;
using QuickSilver.Membership;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>Builds the parts of a node: protocol, core thread, the link to the membership server. Nothing runs before
/// <see cref="NodeParts.StartAsync"/>.</summary>
internal static class NodeComposer
{
    /// <summary>Builds a node that has not started.</summary>
    /// <param name="opening">The sockets and the connector; the node owns them from now on.</param>
    /// <param name="raise">Raises an event at the application.</param>
    public static NodeParts Compose(NodeOpening opening, Action<NodeEvent> raise)
    {
        HeapShares shares = HeapShares.Enter();
        opening.Options.Settle(shares);
        try
        {
            return ComposeSettled(opening, raise);
        }
        catch
        {
            HeapShares.Leave();
            throw;
        }
    }

    private static NodeParts ComposeSettled(NodeOpening opening, Action<NodeEvent> raise)
    {
        (QuickSilverOptions options, string name, NodeLog log) = (opening.Options, opening.Name, opening.Log);
        (NodeReporter reporter, IHostTransport transport) = (opening.Reporter, opening.Transport);
        var events = new NodeEventQueue(log, raise);
        if (options.LimitsBytes > HeapShares.Heap)
        {
            log.Post(
                (name, Sum: options.LimitsBytes, HeapShares.Heap),
                static (logger, s) => Log.LimitsExceedHeap(logger, s.name, s.Sum, s.Heap));
        }
        IClock clock = options.Faults?.Switch?.Clock ?? new MonotonicClock();
        var gate = new WakeGate(transport);
        var requests = new RequestQueue(gate);
        var services = new NodeServices(options, name, requests, clock, log, events);
        var lifecycle = new NodeLifecycle(name, log, events, reporter);
        var random = new SeededRandom(
            BinaryPrimitives.ReadUInt64LittleEndian(RandomNumberGenerator.GetBytes(sizeof(ulong))));
        var core = new NodeCore(
            services, lifecycle, OptionSettings.ToNode(options, name), transport,
            new BufferPool(budget: ProcessMemory.Shared), random);
        var loop = new LoopTurn(
            new LoopParts(clock, requests, transport, core, core.Alarms, core), OptionSettings.ToQuanta(options.Loop),
            core.Stalls);
        core.Statistics = new StatisticsCutter(core, lifecycle, loop.Statistics, clock.Now);
        var threadOptions = new CoreThreadOptions
        {
            Name = $"QuickSilver {name}",
            Spin = options.Loop.Spin ?? TimeSpan.Zero,
            Affinity = options.Loop.Affinity,
        };
        var thread = new CoreThread(loop, requests, transport, gate, clock, threadOptions, core);
        services.SetThread(thread);
        // The server answers heartbeats: a connection that is silent for the failure timeout is dead.
        var link = new TcpMembershipLink(
            opening.Connector, requests, core, reporter, options.Membership.FailureTimeout);
        core.Compose(link);
        AddressMonitor? addresses = AddressMonitor.IsNeeded(opening) ? new AddressMonitor(core, opening, link) : null;
        core.Addresses = addresses;
        return new NodeParts(services, lifecycle, core, thread, link, transport.Choice, addresses);
    }
}
