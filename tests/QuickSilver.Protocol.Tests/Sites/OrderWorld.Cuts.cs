using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Ordering;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>Ways that are cut and healed, and gateways that learn of it.</summary>
internal sealed partial class OrderWorld
{
    /// <summary>Cuts the ways between two sides, in both directions.</summary>
    public void Cut(params int[] side)
    {
        for (int from = 0; from < Sites.Length; from++)
        {
            for (int to = 0; to < Sites.Length; to++)
                if (side.Contains(from) != side.Contains(to)) _isCut[from, to] = true;
        }
    }

    /// <summary>Heals all ways.</summary>
    public void Heal()
    {
        for (int from = 0; from < Sites.Length; from++)
        {
            for (int to = 0; to < Sites.Length; to++) Heal(from, to);
        }
    }

    // Sides, one way, or all healed.
    private void DrawCut()
    {
        int kind = Draw(6);
        if (kind >= 4)
        {
            Heal();
            return;
        }
        if (kind == 3)
        {
            int from = Draw(Sites.Length), to = Draw(Sites.Length);
            if (from != to) _isCut[from, to] = true;
            return;
        }
        Heal();
        Cut([.. Enumerable.Range(0, Sites.Length).Where(_ => Draw(2) == 0)]);
    }

    // What was kept for the other end comes, or a part of it was given up; then all is told again.
    private void Heal(int from, int to)
    {
        if (!_isCut[from, to]) return;
        _isCut[from, to] = false;
        foreach (Way way in _ways.Where(one => one.From.Index == from && one.To.Index == to && Draw(2) == 0))
        {
            int first = Draw(way.Records.Count + 1);
            way.Records.RemoveRange(first, Draw(way.Records.Count - first + 1));
        }
        Sites[from].Teller.Again();
    }

    // The gateway of a site sees what it reaches, both ways, and says so when that has changed.
    private void Look(Site site)
    {
        if (Policy == CutPolicy.Wait) return;
        SiteSet reached = default;
        for (int other = 0; other < Sites.Length; other++)
        {
            if (!_isCut[site.Index, other] && !_isCut[other, site.Index]) reached = reached.With(other);
        }
        if (reached == site.Told) return;
        if (!reached.Except(site.Told).IsEmpty) site.Teller.Again();
        site.Told = reached;
        site.Ring.Add(member => member.Merge.OnReach(reached));
    }
}
