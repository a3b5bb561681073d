using System.Globalization;
using System.Runtime.CompilerServices;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Simulator.Ricochet.Processor;

namespace QuickSilver.Simulator.Ricochet;

/// <summary>
/// The figures of Ricochet's evaluation, one section each: the paper's coding as the paper has it, the library's
/// default, and SRM, with the paper's values.
/// </summary>
/// <param name="seconds">Virtual seconds of a run.</param>
/// <param name="seeds">Runs of each case; their figures are put together.</param>
/// <param name="say">Receives each line.</param>
internal sealed class RicochetReport(double seconds, int seeds, Action<string> say)
{
    private const int Nodes = 64;
    private const int Size = 10;
    private const double ExactRate = 5;
    private const double PaperMicrosAtTwo = 160;
    private const double PaperMicrosAtMost = 300;
    private const double PaperDoublings = 9;

    private static readonly CultureInfo Plain = CultureInfo.InvariantCulture;

    // The library's default.
    private static readonly double DefaultRate = new LateralSettings().RepairsPerPacket;

    /// <summary>Figure 8: two groups and their overlap.</summary>
    public void TwoGroups()
    {
        Say(Plain, $"Figure 8: 16 nodes, groups A (8,5) and B (8,3), x nodes in both; paper: A 97 %, 37 % repairs");
        Say(Plain, $"  x   A rec.   B rec.  repairs  mean ms");
        for (int both = 0; both <= 16; both += 4)
        {
            var members = new int[16][];
            for (int node = 0; node < 16; node++)
                members[node] = node < both ? [0, 1] : (node - both) % 2 == 0 ? [0] : [1];
            RicochetFigures figures = Run(new RicochetCase(members, [5, 3], LateralCode.Xor) { Seconds = seconds });
            double Of(int group)
            {
                (long lost, long recovered) = figures.ByGroup.GetValueOrDefault(group);
                return lost == 0 ? 0 : (double)recovered / lost;
            }
            Say(Plain, $" {both,2}  {Of(0),7:P1}  {Of(1),7:P1}  {figures.RepairShare,7:P1}  {figures.MeanDelay,7:F1}");
        }
    }

    /// <summary>Figure 13: processor time of a packet, measured in whole nodes. It depends on the machine.</summary>
    /// <param name="least">The fewest groups of a node.</param>
    /// <param name="most">The most.</param>
    /// <param name="csv">Receives the table; null: none.</param>
    public void Processor(int least, int most, FileInfo? csv)
    {
        Say(Plain, $"Figure 13: us of processor time for a packet of 1,000 bytes that arrives: all, of which taking "
            + $"it, taking repairs, building repairs; sums, bins");
        Say(Plain, $"   d  (8,5) xor: all  packet  repairs  built  sums  bins | (8,{DefaultRate}) field: all  packet "
            + $" repairs  built  sums  bins | paper");
        Begin(csv, "groups,xor_us,field_us,paper_us");
        for (int groups = least; groups <= most; groups *= 2)
        {
            int[][] members = RicochetCase.Draw(Nodes, groups, Size, 7);
            ProcessorFigures exact = ProcessorRun.Run(
                members, new LateralSettings { Code = LateralCode.Xor, RepairsPerPacket = ExactRate }, seconds, 1);
            ProcessorFigures field = ProcessorRun.Run(members, new LateralSettings(), seconds, 1);
            // The paper has a straight line over the logarithm of d, from 160 us at 2 groups to 300 us at 1,024.
            double paper = PaperMicrosAtTwo
                + ((PaperMicrosAtMost - PaperMicrosAtTwo) * (Math.Log2(groups) - 1) / PaperDoublings);
            Say(Plain, $"{groups,4}  {exact.All,14:F2} {exact.TakingPackets,7:F2} {exact.TakingRepairs,8:F2} "
                + $"{exact.BuildingRepairs,6:F2} {exact.Sums,5:F1} {exact.Bins,5} | {field.All,18:F2} "
                + $"{field.TakingPackets,7:F2} {field.TakingRepairs,8:F2} {field.BuildingRepairs,6:F2} "
                + $"{field.Sums,5:F1} {field.Bins,5} | {paper,5:F0}");
            Add(csv, string.Create(Plain, $"{groups},{exact.All:F3},{field.All:F3},{paper:F0}"));
        }
    }

    /// <summary>Figures 9, 10, 12, 14: groups a node, from few to many.</summary>
    /// <param name="least">The fewest.</param>
    /// <param name="most">The most.</param>
    /// <param name="csv">Receives the table; null: none.</param>
    public void Sweep(int least, int most, FileInfo? csv)
    {
        Say(Plain, $"Figures 9, 10, 12, 14: 64 nodes, d groups of 10 a node, 1 % loss");
        Say(Plain, $"paper: 97-98 %, about 25 ms, < 5 XORs; SRM finds after 180 ms at d = 2, "
            + $"doubling with d, and recovers 4 s later");
        Say(Plain, $"   d  (8,5) xor: rec.  mean  rep.  XORs  bins | (8,{DefaultRate}) field: rec.  mean  p99  rep. "
            + $" sums  bins | SRM: finds  recovers  requests, repairs a loss");
        Begin(
            csv,
            "groups,xor_recovered,xor_ms,field_recovered,field_ms,field_p99_ms,srm_found_ms,srm_recovered_ms,paper_ms,"
            + "paper_srm_found_ms");
        for (int groups = least; groups <= most; groups *= 2)
        {
            RicochetFigures exact = Run(Case(groups, LateralCode.Xor, ExactRate));
            RicochetFigures field = Run(Case(groups, LateralCode.Field, DefaultRate));
            // Long enough for every loss to be found: a sender sends to one group each d x 10 ms.
            SrmFigures srm = SrmModel.Run(
                Case(groups, LateralCode.Xor, 0) with { Seconds = Math.Max(seconds, groups * 0.08) });
            double found = RicochetFigures.Mean(srm.Discoveries);
            double again = RicochetFigures.Mean(srm.Delays);
            double losses = Math.Max(1, srm.Discoveries.Count);
            Say(Plain, $"{groups,4}  {exact.Recovered,14:P2} {exact.MeanDelay,5:F1} {exact.RepairShare,6:P1} "
                + $"{exact.CombinedAPacket,4:F1} {exact.BinsANode,5:F0} | {field.Recovered,16:P2} "
                + $"{field.MeanDelay,5:F1} {field.Delay(0.99),4:F0} {field.RepairShare,6:P1} "
                + $"{field.CombinedAPacket,4:F1} {field.BinsANode,5:F0} | {found,7:F0} ms {again,6:F0} ms "
                + $"{srm.Requests / losses:F2}, {srm.Repairs / losses:F2}");
            Add(csv, string.Create(
                Plain,
                $"{groups},{exact.Recovered:F4},{exact.MeanDelay:F2},{field.Recovered:F4},{field.MeanDelay:F2},"
                + $"{field.Delay(0.99):F1},{found:F1},{again:F1},25,{90 * groups}"));
        }
    }

    /// <summary>Figures 11 and 15: how delays are distributed, and how far deliveries of a message are apart.</summary>
    public void Delays()
    {
        Say(Plain, $"Figures 11 and 15, d = 64: delays p50 p90 p99; first to last delivery within 1.25, 18, 77 ms");
        Say(Plain, $"paper: tail to about 120 ms; 65 %, 90 %, 99 %");
        foreach ((LateralCode code, double rate) in Kinds())
        {
            RicochetFigures figures = Run(Case(64, code, rate));
            double Within(double limit) => figures.Spreads.Count(one => one <= limit) / (double)figures.Spreads.Count;
            Say(Plain, $"  {code,-5} {figures.Delay(0.5):F1} {figures.Delay(0.9):F0} {figures.Delay(0.99):F0} ms;  "
                + $"{Within(1.25):P1} {Within(18):P1} {Within(77):P2}");
        }
    }

    /// <summary>Loss, bursts, and low rates.</summary>
    public void Troubles()
    {
        Say(Plain, $"Trouble, d = 64: recovered, mean ms, repairs");
        foreach (double loss in (double[])[0.01, 0.05, 0.1])
            Trouble($"loss {loss * 100:F0} %", seconds, one => one with { Loss = loss });
        foreach (int burst in (int[])[5, 10, 20, 40])
            Trouble($"bursts of {burst}", seconds, one => one with { Burst = burst });
        foreach (int interval in (int[])[10, 30, 100, 300, 1000])
        {
            Trouble(
                $"a message in {interval} ms", seconds * Math.Sqrt(interval / 10.0),
                one => one with { Interval = interval });
        }
    }

    /// <summary>What c buys, at each loss.</summary>
    public void Rates()
    {
        Say(Plain, $"Rate of repairs, d = 64, field: c, then recovered, mean and p99 in ms, repairs at each loss");
        Say(Plain, $"     c  1 %                          5 %                          10 %");
        foreach (double rate in (double[])[1, 1.5, 2, 2.5, 3, 4, 5])
        {
            var line = new System.Text.StringBuilder();
            foreach (double loss in (double[])[0.01, 0.05, 0.1])
            {
                RicochetFigures figures = Run(Case(64, LateralCode.Field, rate) with { Loss = loss });
                line.Append(
                    Plain,
                    $"  {figures.Recovered,8:P2} {figures.MeanDelay,5:F1} {figures.Delay(0.99),4:F0} "
                    + $"{figures.RepairShare,6:P1}");
            }
            Say(Plain, $"  {rate,4:F1}{line.ToString()}");
        }
    }

    /// <summary>What staggering buys.</summary>
    public void Lanes()
    {
        Say(Plain, $"Staggering, d = 64: recovered, mean ms, repairs");
        foreach (int lanes in (int[])[1, 2, 4])
        {
            foreach (int burst in (int[])[1, 20, 40])
            {
                Trouble(
                    $"{lanes} in turn, bursts of {burst}", seconds, one => one with { Lanes = lanes, Burst = burst });
            }
        }
    }

    // A row is written when it is known: a run that is cut short leaves those before.
    private static void Begin(FileInfo? csv, string header)
    {
        if (csv is not null) File.WriteAllText(csv.FullName, header + "\n");
    }

    private static void Add(FileInfo? csv, string row)
    {
        if (csv is not null) File.AppendAllText(csv.FullName, row + "\n");
    }

    private void Say(
        IFormatProvider culture,
        [InterpolatedStringHandlerArgument(nameof(culture))] ref DefaultInterpolatedStringHandler line) =>
        say(line.ToStringAndClear());

    private static IEnumerable<(LateralCode, double)> Kinds() =>
        [(LateralCode.Xor, ExactRate), (LateralCode.Field, DefaultRate)];

    private RicochetCase Case(int groups, LateralCode code, double rate)
    {
        int[][] members = RicochetCase.Draw(Nodes, groups, Size, 7);
        double[] rates = [.. Enumerable.Repeat(rate, Math.Max(1, groups * Nodes / Size))];
        return new RicochetCase(members, rates, code) { Seconds = seconds };
    }

    private void Trouble(string name, double length, Func<RicochetCase, RicochetCase> change)
    {
        var line = new System.Text.StringBuilder();
        foreach ((LateralCode code, double rate) in Kinds())
        {
            RicochetFigures figures = Run(change(Case(64, code, rate) with { Seconds = length }));
            line.Append(
                Plain,
                $"  {code} (8,{rate}): {figures.Recovered:P2}, {figures.MeanDelay:F0} ms, {figures.RepairShare:P0}");
        }
        Say(Plain, $"  {name,-26}{line}");
    }

    private RicochetFigures Run(RicochetCase one)
    {
        var sum = new RicochetFigures();
        for (ulong seed = 1; seed <= (ulong)seeds; seed++) sum.Add(RicochetModel.Run(one with { Seed = seed }));
        return sum;
    }
}
