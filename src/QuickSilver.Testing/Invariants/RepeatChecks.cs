using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// R7: repairs back off: no node sends a member the same packet more than 24 times within five seconds, whatever the
/// member asks. Counted for repairs by unicast, in spans of five seconds. O(1) per repair.
/// </summary>
/// <param name="run">The run.</param>
internal sealed class RepeatChecks(RunContext run)
{
    private const int Most = 24;
    private const long Span = 5;

    private readonly Dictionary<(int Node, NetEndpoint To, ulong Stream, uint Counter, ulong Sequence), int> _sent = [];
    private long _span;

    /// <summary>A node sends a datagram.</summary>
    /// <param name="node">Index of the node.</param>
    /// <param name="header">Its header.</param>
    /// <param name="to">Where to; none: to a region.</param>
    public void OnSent(int node, in DatagramHeader header, NetEndpoint to)
    {
        if (DatagramKinds.PacketOf(header.Kind) != DatagramKind.Repair || to.IsNone) return;
        long span = run.Now.Ticks / (Span * TimeSpan.TicksPerSecond);
        if (span != _span) _sent.Clear();
        _span = span;
        (int, NetEndpoint, ulong, uint, ulong) key = (node, to, header.Sender, header.ViewCounter, header.Sequence);
        int times = _sent.GetValueOrDefault(key) + 1;
        _sent[key] = times;
        if (times > Most)
            throw run.Violation(
                "R7", $"node {node} has sent {to} packet {header.Sequence} of {header.Sender:x} {times} times in 5 s");
    }
}
