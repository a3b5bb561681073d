using QuickSilver.Bench;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using InstalledView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Simulator.Overlap;

/// <summary>
/// What it costs to send one message from each member of each group, counted in the views that the nodes have
/// installed.
/// </summary>
/// <param name="Pattern">Which nodes are in which groups.</param>
/// <param name="Scheme">How messages are sent.</param>
/// <param name="Regions">Regions of the cluster.</param>
/// <param name="Addresses">Multicast addresses in use.</param>
/// <param name="Copies">Copies sent a message.</param>
/// <param name="Filtered">Packets filtered for each that is delivered.</param>
internal sealed record OverlapFigures(
    string Pattern, string Scheme, int Regions, int Addresses, double Copies, double Filtered)
{
    /// <summary>Share of the packets received that is filtered.</summary>
    public double FilteredShare => Filtered / (1 + Filtered);

    /// <summary>Counts what the installed views cost.</summary>
    /// <param name="pattern">Which nodes are in which groups.</param>
    /// <param name="nodes">Number of nodes.</param>
    /// <param name="scheme">How messages are sent.</param>
    /// <param name="world">The nodes.</param>
    /// <param name="packed">Messages that a packet carries, of groups that follow each other at random.</param>
    public static OverlapFigures Count(
        OverlapPattern pattern, int nodes, string scheme, OverlapWorld world, int packed)
    {
        long messages = 0;
        long copies = 0;
        double received = 0;
        double filtered = 0;
        var addresses = new HashSet<NetAddress>();
        for (int node = 0; node < nodes; node++)
        {
            GroupLayout layout = world.LayoutOf(node);
            ulong self = world.InfoOf(node).Number.Key;
            if (layout.Own is { Multicast.IsNone: false } own) addresses.Add(own.Multicast.Address);
            foreach (GroupId group in layout.Groups)
            {
                int sent = CountCopies(layout, group, self);
                if (sent == 0) continue;
                messages++;
                copies += sent;
            }
            foreach (InstalledView view in layout.Views)
            {
                GroupId[] groups = [.. layout.Groups.Where(group => CountOthers(view, group, self) > 0)];
                for (int member = 0; member < view.Members.Length; member++)
                {
                    if (groups.Length == 0 || view.Members[member].Number.Key == self) continue;
                    double wanted = (double)groups.Count(group => view.IsMember(member, group)) / groups.Length;
                    received += groups.Length;
                    filtered += groups.Length * Math.Pow(1 - wanted, packed);
                }
            }
        }
        return new OverlapFigures(
            pattern.Name,
            scheme,
            world.Statistics.Regions,
            addresses.Count,
            (double)copies / messages,
            filtered / (received - filtered));
    }

    /// <summary>
    /// Computes hybrid sends over exact regions. Addresses that regions leave go to single groups, those first that
    /// save the most copies; their messages are one copy each, and nothing is filtered.
    /// </summary>
    public static OverlapFigures Hybrid(
        OverlapPattern pattern, int nodes, int addresses, OverlapWorld exact, OverlapFigures regional)
    {
        var costs = new Dictionary<string, (long Messages, long Copies)>();
        for (int node = 0; node < nodes; node++)
        {
            GroupLayout layout = exact.LayoutOf(node);
            foreach (GroupId group in layout.Groups)
            {
                int sent = CountCopies(layout, group, exact.InfoOf(node).Number.Key);
                if (sent == 0) continue;
                string name = layout.Find(group)!.Name;
                (long messages, long copies) = costs.GetValueOrDefault(name);
                costs[name] = (messages + 1, copies + sent);
            }
        }
        (long Messages, long Copies)[] chosen = [
            .. costs.Values.OrderByDescending(cost => cost.Copies - cost.Messages)
                .Where(cost => cost.Copies > cost.Messages)
                .Take(addresses - regional.Addresses)];
        long all = costs.Values.Sum(cost => cost.Copies) - chosen.Sum(cost => cost.Copies - cost.Messages);
        return new OverlapFigures(
            pattern.Name,
            "hybrid (computed)",
            regional.Regions,
            regional.Addresses + chosen.Length,
            (double)all / costs.Values.Sum(cost => cost.Messages),
            0);
    }

    /// <summary>Computes an address for each group of several nodes: one copy, and nothing is filtered.</summary>
    public static OverlapFigures PerGroup(OverlapPattern pattern) =>
        new(pattern.Name, "per group (computed)", 0, pattern.Members.Count(static members => members.Length > 1), 1, 0);

    private static int CountCopies(GroupLayout layout, GroupId group, ulong self)
    {
        int copies = 0;
        foreach (InstalledView view in layout.ViewsOf(group))
        {
            if (CountOthers(view, group, self) == 0) continue;
            copies += view.Multicast.IsNone ? view.Members.Length - (view.IndexOf(self) >= 0 ? 1 : 0) : 1;
        }
        return copies;
    }

    private static int CountOthers(InstalledView view, GroupId group, ulong self) =>
        view.CountMembers(group) - (view.IndexOf(self) >= 0 && view.Region.Contains(group) ? 1 : 0);
}
