namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Finds the node at fault when control datagrams pass between members and packets of no length do. A firewall may
/// admit one port and not the other, for example. Such a way would hold up its regions for good.
/// <para>
/// A member reports the nodes whose packets do not arrive at it. A node goes when two members have reported it for a
/// whole period, of two identities if there are such members (<see cref="Concern"/>). A member goes when it has
/// reported two nodes for a period, or one for two periods. Such a report harms only the member itself, so it needs no
/// confirmation. Of several the single one with the most ways goes; the others are judged again without it. Of equals
/// the receivers go first, since an inbound filter is the usual cause; then the younger.
/// </para>
/// Cost: linear in the ways named, for each node that goes.
/// </summary>
/// <param name="witnesses">Finds the nodes that could report one.</param>
internal sealed class BlockedJudge(Func<ServerNode, IReadOnlyCollection<ServerNode>> witnesses)
{
    private const int LeastAccusers = 2;

    private readonly SortedDictionary<ServerNode, List<ServerNode>> _accusers =
        new(Comparer<ServerNode>.Create(static (left, right) => left.Key.CompareTo(right.Key)));

    /// <summary>The node to remove next; null when there is none.</summary>
    /// <param name="reports">The last reports of members.</param>
    /// <param name="period">The time for which a way must have been reported.</param>
    public ServerNode? FindWorst(IEnumerable<ReachReport> reports, TimeSpan period)
    {
        ServerNode? worst = null;
        (int Ways, bool IsReceiver, NodeOrder Age) most = default;
        _accusers.Clear();
        foreach (ReachReport report in reports)
        {
            if (report.Blocked.Count == 0) continue;
            int ways = 0;
            bool isLong = false;
            foreach ((ServerNode from, Core.Instant since) in report.Blocked)
            {
                TimeSpan lasted = report.At - since;
                if (lasted < period || from.Info.IsRemoved) continue;
                ways++;
                isLong |= lasted >= period * 2;
                if (!_accusers.TryGetValue(from, out List<ServerNode>? accusers)) _accusers.Add(from, accusers = []);
                accusers.Add(report.Node);
            }
            if (ways >= 2 || isLong) Compare(report.Node, ways, isReceiver: true);
        }
        foreach ((ServerNode accused, List<ServerNode> accusers) in _accusers)
        {
            if (accusers.Count < LeastAccusers) continue;
            if (Concern.IsEnough(accused, accusers, witnesses(accused)))
                Compare(accused, accusers.Count, isReceiver: false);
        }
        return worst;

        void Compare(ServerNode node, int ways, bool isReceiver)
        {
            (int, bool, NodeOrder) against = (ways, isReceiver, new NodeOrder(node));
            if (worst is not null && against.CompareTo(most) <= 0) return;
            worst = node;
            most = against;
        }
    }

    private readonly record struct NodeOrder(ServerNode Node) : IComparable<NodeOrder>
    {
        public int CompareTo(NodeOrder other) => Node.Info.Number.CompareTo(other.Node.Info.Number);
    }
}
