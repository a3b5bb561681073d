using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// R6: a member that has heard the probes of three rounds by multicast is sent no copies by unicast any more. Judged
/// while the network does nothing to datagrams, since answers may be lost otherwise. O(nodes) per probe that is read.
/// </summary>
/// <param name="run">The run.</param>
/// <param name="nodes">All nodes by index; the list grows.</param>
/// <param name="isDisturbed">True while a fault of the network lasts.</param>
internal sealed class CopyChecks(RunContext run, IReadOnlyList<SimulatedNode> nodes, Func<bool> isDisturbed)
{
    private const int Most = 12;

    private readonly Dictionary<(int Node, ulong Sender, uint Tag, uint Counter), int> _heard = [];

    /// <summary>A node has read a probe.</summary>
    public void OnProbeRead(int node, in DatagramHeader header)
    {
        if (header.Kind != DatagramKind.CarrierProbe) return;
        (int, ulong, uint, uint) key = (node, header.Sender, header.ViewTag, header.ViewCounter);
        if (run.Options.Network.Link.Loss > 0 || run.Options.Network.Overrides.Count > 0 || isDisturbed()
            || !IsCopied(node, header))
        {
            _heard.Remove(key);
            return;
        }
        int heard = _heard.GetValueOrDefault(key) + 1;
        _heard[key] = heard;
        if (heard >= Most)
            throw run.Violation(
                "R6", $"node {node} has heard {heard} probes of {header.Sender:x}, and is still sent copies");
    }

    private bool IsCopied(int node, in DatagramHeader header)
    {
        foreach (SimulatedNode sender in nodes)
        {
            if (!sender.IsAlive || sender.Stack.Cluster.Self?.Number.Key != header.Sender) continue;
            StreamSender? stream = sender.Stack.Rooms.Disseminator.FindStream(header.ViewTag, header.ViewCounter);
            return stream is not null && nodes[node].Stack.Cluster.Self is { } self
                && stream.IsCopied(stream.View.IndexOf(self.Number.Key));
        }
        return false;
    }
}
