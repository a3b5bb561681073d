using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Stack;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// R1 after every turn: what a node says it keeps, and what it has rented, is under its caps. R4 after its end: every buffer, alarm, channel and
/// payload has come home.
/// </summary>
internal sealed class MemoryChecks(RunContext run)
{
    // Packets lie in shared chunks of 64 KiB that go home with their last packet, so rented memory exceeds kept memory; by how much is bounded by
    // this factor and floor.
    private const int ChunkFactor = 3;
    // So many packets of each stream may be kept although the cap is reached, or no stream could go on: sixteen for others, and sixteen for delivery.
    private const int PacketsBeyondCap = 32;
    private const long Floor = 32L << 20;
    // A packet that still had room may be full of tiny messages, each held at an overhead of its own.
    private const int ShortestRecord = 4;

    /// <summary>Checks a living node.</summary>
    /// <param name="node">The node.</param>
    /// <param name="settings">Its caps.</param>
    /// <param name="counters">Its counters.</param>
    /// <param name="pool">Its memory.</param>
    /// <param name="streams">Streams in the whole cluster.</param>
    public void CheckCaps(SimulatedNode node, NodeSettings settings, NodeCounters counters, BufferPool pool, int streams)
    {
        int slot = run.Options.Network.SlotBytes;
        long kept = settings.CacheBytes + ((long)streams * PacketsBeyondCap * slot) + (slot / ShortestRecord * HeldMessage.Overhead);
        if (counters.CachedBytes > kept)
        {
            throw run.Violation("R1", $"node {node.Index} keeps {counters.CachedBytes} bytes of received packets; its cap is {kept}");
        }
        // A stream that holds nothing takes one message whatever its length, or others could silence it.
        long pending = settings.NodeMaxPendingBytes + settings.MaxMessageBytes;
        if (counters.PendingBytes > pending)
        {
            int holding = node.Stack.Rooms.Disseminator.Streams.Count(static stream => stream.Gate.Account.Messages > 0);
            pending += (long)holding * settings.MaxMessageBytes;
        }
        if (counters.PendingBytes > pending)
        {
            throw run.Violation("R1", $"node {node.Index} has {counters.PendingBytes} bytes pending; its cap is {pending}");
        }
        long rented = (ChunkFactor * (settings.CacheBytes + settings.NodeMaxPendingBytes)) + Floor;
        if (pool.OutstandingBytes > rented) throw run.Violation("R1", $"node {node.Index} has rented {pool.OutstandingBytes} bytes, beyond {rented}");
        if (counters.CachedBytes < 0 || counters.PendingBytes < 0 || counters.PendingMessages < 0)
        {
            throw run.Violation("R1",
                $"node {node.Index} counts {counters.CachedBytes} bytes kept, {counters.PendingMessages} messages and "
                + $"{counters.PendingBytes} bytes pending");
        }
    }

    /// <summary>Checks a node that was shut down.</summary>
    public void CheckEmpty(SimulatedNode node, BufferPool pool, int alarms, int channels, int payloads)
    {
        if (pool.OutstandingChunks != 0)
        {
            var owners = Enum.GetValues<BufferOwner>()
                .Where(owner => pool.OutstandingBytesOf(owner) != 0)
                .Select(owner => $"{owner} {pool.OutstandingBytesOf(owner)}");
            throw run.Violation("R4", $"node {node.Index} was shut down with {pool.OutstandingChunks} chunks out: {string.Join(", ", owners)}");
        }
        if (alarms != 0) throw run.Violation("R4", $"node {node.Index} was shut down with {alarms} alarms set");
        if (channels != 0) throw run.Violation("R4", $"node {node.Index} was shut down with {channels} channels open");
        if (payloads != 0) throw run.Violation("R4", $"node {node.Index} was shut down with {payloads} payloads not released");
    }
}
