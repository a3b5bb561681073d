using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// E4: a datagram has the version of its view, and every node that is in the view, or has installed it to send there,
/// speaks that version. So none goes to a node that cannot read it. No node is refused for what a server tells it.
/// </summary>
/// <param name="run">The run.</param>
/// <param name="nodeOf">The nodes by index.</param>
internal sealed class VersionChecks(RunContext run, Func<int, SimulatedNode> nodeOf)
{
    /// <summary>A node has installed a view.</summary>
    public void OnInstalled(int node, RegionViewFacts facts)
    {
        Check(node, facts);
        foreach (int member in facts.Members) Check(member, facts);
    }

    /// <summary>A node sends a datagram.</summary>
    public void OnSent(int node, in DatagramHeader header, RegionViewFacts? facts)
    {
        if (facts is null || facts.View.Version == header.Version) return;
        throw run.Violation(
            "E4",
            $"node {node} sent a {header.Kind} of version {header.Version} in {facts.View}, "
                + $"which runs version {facts.View.Version}");
    }

    private void Check(int node, RegionViewFacts facts)
    {
        ProtocolVersions spoken = nodeOf(node).Versions;
        if (spoken.Contains(facts.View.Version)) return;
        throw run.Violation(
            "E4", $"{facts.View} runs version {facts.View.Version}, and node {node} speaks {spoken}");
    }
}
