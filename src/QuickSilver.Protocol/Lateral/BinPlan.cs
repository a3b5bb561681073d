namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// Which repair bins a node needs as the paper has it, and how many nodes of which region each repair of a bin goes to.
/// <para>
/// The number of targets for group G in region R is c(G) x |R| / |G|. The bin of groups S takes the least residual of S
/// in a region, and the remainder goes to bins of fewer groups. Residuals of one region are in the proportion of the
/// groups' densities c(G) / |G|. So the groups are sorted once by density, and the bins of a region are the suffixes of
/// its groups in that order. O(regions x groups).
/// </para>
/// <para>
/// Source: Ricochet, Figure 7. The paper's Algorithm 1 as printed does not give its own Figure 7; this does.
/// Deviation: c(G) is at most |G|.
/// </para>
/// </summary>
internal static class BinPlan
{
    private const double Nothing = 1e-9;

    /// <summary>A bin: the groups whose packets it takes, and its mean number of targets by region.</summary>
    /// <param name="Groups">Indexes of the groups, rising.</param>
    /// <param name="Targets">Regions, and the mean number of targets in each.</param>
    internal sealed record Bin(int[] Groups, List<(int Region, double Mean)> Targets);

    /// <summary>Makes the plan.</summary>
    /// <param name="sizes">Other members of each group.</param>
    /// <param name="rates">The c of each group.</param>
    /// <param name="regions">The groups of each region, and how many nodes it has.</param>
    public static List<Bin> Make(int[] sizes, double[] rates, IReadOnlyList<(int[] Groups, int Count)> regions)
    {
        var bins = new List<Bin>();
        double[] density = new double[sizes.Length];
        for (int group = 0; group < sizes.Length; group++)
            density[group] = sizes[group] == 0 ? 0 : Math.Min(rates[group], sizes[group]) / sizes[group];
        for (int region = 0; region < regions.Count; region++)
        {
            (int[] groups, int count) = regions[region];
            int[] sorted = [.. groups];
            Array.Sort(sorted, (one, other) =>
                density[one] != density[other] ? density[one].CompareTo(density[other]) : one.CompareTo(other));
            double before = 0;
            for (int first = 0; first < sorted.Length; first++)
            {
                double step = density[sorted[first]] - before;
                before = density[sorted[first]];
                if (step <= Nothing) continue;
                int[] key = sorted[first..];
                Array.Sort(key);
                BinOf(bins, key).Targets.Add((region, count * step));
            }
        }
        return bins;
    }

    private static Bin BinOf(List<Bin> bins, int[] key)
    {
        foreach (Bin known in bins)
        {
            if (known.Groups.AsSpan().SequenceEqual(key)) return known;
        }
        var bin = new Bin(key, []);
        bins.Add(bin);
        return bin;
    }
}
