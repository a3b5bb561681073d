using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// R3, its safe half: at most one token lives in a ring, per view and epoch. Two members may both take the lead, and a
/// hop whose acknowledgement was lost may fork; what must never be is that a member which has sent a token on sends an
/// older one: of a lower epoch, of a leader that counts less, of a round or hop before. It reads along what members
/// send. O(1) per datagram of a token.
/// </summary>
internal sealed class TokenChecks(RunContext run, ViewChecks views)
{
    private readonly Dictionary<(int Node, uint Tag, uint Counter), TokenHop> _last = [];
    private readonly List<int> _skipped = [];

    /// <summary>A node sends one datagram of a token.</summary>
    /// <param name="node">Index of the node.</param>
    /// <param name="header">Its header.</param>
    /// <param name="datagram">The whole datagram.</param>
    /// <param name="lives">True for living members.</param>
    public void OnToken(int node, in DatagramHeader header, ReadOnlySpan<byte> datagram, Func<int, bool> lives)
    {
        if (views.FindView(header.ViewTag, header.ViewCounter) is not { } view)
        {
            throw run.Violation(
                "V4", $"node {node} sent a token to view {header.ViewCounter}, which nobody has installed");
        }
        var reader = new WireReader(datagram[DatagramHeader.Length..]);
        TokenHop hop = TokenHop.Read(ref reader, view.Members.Length, _skipped);
        if (reader.Failed || view.Members[hop.From] != node)
            throw run.Violation("E2", $"node {node} sent a malformed token to {view.View}: {hop}");
        (int, uint, uint) key = (node, header.ViewTag, header.ViewCounter);
        if (_last.TryGetValue(key, out TokenHop last) && IsOlder(hop, last, view, lives))
        {
            throw run.Violation("R3", $"node {node} sent {Text(hop)} in {view.View} after {Text(last)}");
        }
        _last[key] = hop;
    }

    private static bool IsOlder(in TokenHop hop, in TokenHop last, RegionViewFacts view, Func<int, bool> lives)
    {
        if (hop.Epoch != last.Epoch) return hop.Epoch < last.Epoch;
        if (hop.Leader != last.Leader) return hop.Leader > last.Leader && lives(view.Members[last.Leader]);
        return hop.Round != last.Round ? hop.Round < last.Round : hop.Hop < last.Hop;
    }

    private static string Text(in TokenHop hop) =>
        $"epoch {hop.Epoch} leader {hop.Leader} round {hop.Round} hop {hop.Hop}";
}
