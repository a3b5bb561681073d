using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// R1 after every turn: what a node says it keeps, and what it has rented, is under its caps. R4 after its end: every
/// buffer, alarm, channel and payload has come home.
/// </summary>
internal sealed class MemoryChecks(RunContext run)
{
    // Packets lie in shared chunks of 64 KiB that go home with their last packet, so rented memory exceeds kept memory;
    // by how much is bounded by this factor and floor.
    private const int ChunkFactor = 3;
    // So many packets of each stream may be kept for others although the cap is reached, or no stream could go on.
    private const int PacketsBeyondCap = 16;
    private const long Floor = 32L << 20;

    /// <summary>Checks a living node.</summary>
    /// <param name="node">The node.</param>
    /// <param name="settings">Its caps.</param>
    /// <param name="pool">Its memory.</param>
    /// <param name="streams">Streams in the whole cluster.</param>
    public void CheckCaps(SimulatedNode node, NodeSettings settings, BufferPool pool, int streams)
    {
        long cached = node.Counters.CachedBytes;
        DisseminationCounters counters = node.Stack.Rooms.DisseminationCounters;
        long kept = settings.CacheBytes + ((long)streams * PacketsBeyondCap * run.Options.Network.SlotBytes);
        if (cached > kept) kept += HeldBeyondCap(node) + LeftByRemovedSenders(node, settings);
        if (cached > kept)
        {
            throw run.Violation("R1", $"node {node.Index} keeps {cached} bytes of received packets; its cap is {kept}");
        }
        long lateral = node.Stack.Rooms.LateralCounters.CachedBytes;
        if (lateral > Math.Min(LateralEngine.MostCacheBytes, settings.CacheBytes) + (2 * LateralBlock.MaxLength))
            throw run.Violation("R1", $"node {node.Index} keeps {lateral} bytes of packets of lateral groups");
        // A stream that holds nothing takes one message whatever its length, or others could silence it.
        long pending = settings.NodeMaxPendingBytes + settings.MaxMessageBytes;
        if (counters.PendingBytes > pending)
        {
            int holding = node.Stack.Rooms.Disseminator.Streams.Count(
                static stream => stream.Messages.Gate.Account.Messages > 0);
            pending += (long)holding * settings.MaxMessageBytes;
        }
        if (counters.PendingBytes > pending)
        {
            throw run.Violation(
                "R1", $"node {node.Index} has {counters.PendingBytes} bytes pending; its cap is {pending}");
        }
        long rented = (ChunkFactor * (settings.CacheBytes + settings.NodeMaxPendingBytes)) + Floor;
        if (pool.OutstandingBytes > rented)
            throw run.Violation("R1", $"node {node.Index} has rented {pool.OutstandingBytes} bytes, beyond {rented}");
        long timed = node.Stack.Rooms.TimedCounters.HeldBytes;
        if (timed is < 0 or > TimedContext.MaxHeldBytes + (1 << 20))
            throw run.Violation("R1", $"node {node.Index} counts {timed} bytes held of timed groups");
        if (cached < 0 || counters.PendingBytes < 0 || counters.PendingMessages < 0)
        {
            throw run.Violation("R1",
                $"node {node.Index} counts {cached} bytes kept, {counters.PendingMessages} messages and "
                + $"{counters.PendingBytes} bytes pending");
        }
    }

    /// <summary>Checks a node that was shut down.</summary>
    public void CheckEmpty(SimulatedNode node, BufferPool pool, int alarms, int channels, int payloads, int blocks)
    {
        if (pool.OutstandingChunks != 0)
        {
            var owners = Enum.GetValues<BufferOwner>()
                .Where(owner => pool.OutstandingBytesOf(owner) != 0)
                .Select(owner => $"{owner} {pool.OutstandingBytesOf(owner)}");
            throw run.Violation(
                "R4",
                $"node {node.Index} was shut down with {pool.OutstandingChunks} chunks out: "
                    + $"{string.Join(", ", owners)}");
        }
        if (alarms != 0) throw run.Violation("R4", $"node {node.Index} was shut down with {alarms} alarms set");
        if (channels != 0) throw run.Violation("R4", $"node {node.Index} was shut down with {channels} channels open");
        if (blocks != 0)
            throw run.Violation("R4", $"node {node.Index} was shut down with {blocks} blocks of shared memory out");
        if (payloads != 0)
            throw run.Violation("R4", $"node {node.Index} was shut down with {payloads} payloads not released");
    }

    // As many of each stream may wait for delivery. And the fragments of the message that is the next of its sender and
    // group are taken whatever is held: it leaves as soon as it is whole.
    private static long HeldBeyondCap(SimulatedNode node) => node.Stack.Rooms.Deliverer.Cap.ChargeBeyondCap
        + node.Stack.Rooms.Deliverer.Groups
            .SelectMany(static group => group.Cursors)
            .Sum(static cursor => cursor.Held is { } held && held.First.Number == cursor.Next ? held.First.Charge : 0);

    // What a removed sender left is taken whatever is held, since nothing drains past a gap before all of it is here:
    // as much as it may have had pending, in its streams to every view.
    private static long LeftByRemovedSenders(SimulatedNode node, NodeSettings settings)
    {
        int streams = 0;
        var senders = new HashSet<ulong>();
        foreach (RegionRecovery region in node.Stack.Rooms.Recoverer.Regions)
        {
            foreach (StreamReceiver stream in region.Streams)
            {
                if (!stream.Sender.IsRemoved) continue;
                streams++;
                senders.Add(stream.Sender.Number.Key);
            }
        }
        return (senders.Count * (settings.NodeMaxPendingBytes + settings.MaxMessageBytes))
            + ((long)streams * settings.MaxPendingMessages * HeldBatch.Overhead);
    }
}
