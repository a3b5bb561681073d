namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Finds the node at fault where control passes between members and no packet does, of whatever length: as where a
/// firewall lets one port through and not the other. Such a way holds its regions up for ever.
/// <para>
/// A member says of which nodes nothing arrives at it. A node goes when two members have said so of it for a whole period.
/// A member goes when it has said so of two nodes for a period, or of one for two periods: that word harms only the member
/// itself, so nobody has to confirm it. Of several the one with the most ways goes, alone; the others are judged again
/// without it. Of equals those go that nothing arrives at, since an inbound filter is the usual cause; then the younger.
/// </para>
/// Cost: linear in the ways named, for each node that goes.
/// </summary>
internal sealed class BlockedJudge
{
    private readonly Dictionary<ServerNode, int> _accusers = [];

    /// <summary>The node that goes next; null when none has to.</summary>
    /// <param name="reports">What members have said last.</param>
    /// <param name="period">How long they must have said so.</param>
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
                _accusers[from] = _accusers.GetValueOrDefault(from) + 1;
            }
            if (ways >= 2 || isLong) Compare(report.Node, ways, isReceiver: true);
        }
        foreach (ReachReport report in reports)
        {
            foreach ((ServerNode accused, _) in report.Blocked)
            {
                int ways = _accusers.GetValueOrDefault(accused);
                if (ways >= 2) Compare(accused, ways, isReceiver: false);
            }
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
