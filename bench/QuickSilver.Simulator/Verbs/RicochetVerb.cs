using System.CommandLine;
using System.Globalization;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Simulator.Ricochet;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Redraws the evaluation of Ricochet: repairs alone, in virtual time, beside the paper's values.</summary>
internal static class RicochetVerb
{
    private const int Nodes = 64;
    private const int Size = 10;

    public static Command Make()
    {
        var seconds = new Option<double>("--seconds") { DefaultValueFactory = static _ => 12 };
        var most = new Option<int>("--groups") { DefaultValueFactory = static _ => 1024 };
        var command = new Command("ricochet", "Redraws Figures 8 to 15 of Ricochet, by the library's bins and codes.")
        {
            seconds, most,
        };
        command.SetAction(result => Run(result.GetValue(seconds), result.GetValue(most)));
        return command;
    }

    private static int Run(double seconds, int most)
    {
        Say("Figure 8: 16 nodes, groups A (8,5) and B (8,3), x nodes in both; paper: A 97 %, 37 % repairs");
        Say("  x   A rec.   B rec.  repairs  mean ms");
        for (int both = 0; both <= 16; both += 4) TwoGroups(both, seconds);
        Say("Figures 9, 10, 12, 14: 64 nodes, d groups a node, 1 % loss; paper: 97-98 %, about 25 ms, < 5 XORs;");
        Say("SRM discovers after about 180 ms at d = 2, doubling with d");
        Say("   d  (8,5) xor: rec.  mean  XORs rep.%  (8,2.5) field: rec.  mean   p99 rep.%  sums   SRM disc.");
        for (int groups = 2; groups <= most; groups *= 2) Sweep(groups, seconds);
        Say("Figures 11 and 15, d = 64: delays p50 p90 p99; spreads within 1.25 ms, 18 ms, 77 ms");
        Say("(paper: 65 %, 90 %, 99 %)");
        foreach ((LateralCode code, double rate) in Kinds()) Distribution(code, rate, seconds);
        Say("Loss, d = 64: recovered, mean ms");
        foreach (double loss in (double[])[0.01, 0.05, 0.1]) Trouble($"loss {loss:P0}", seconds, one => one with
        {
            Loss = loss,
        });
        foreach (int burst in (int[])[5, 10, 20, 40]) Trouble($"bursts of {burst}", seconds, one => one with
        {
            Burst = burst,
        });
        foreach (int interval in (int[])[10, 100, 1000]) Trouble($"a message in {interval} ms", 60, one => one with
        {
            Interval = interval,
        });
        Say("Rate of repairs, d = 64, field: c, recovered, mean, p99, repairs");
        foreach (double rate in (double[])[1.5, 2, 2.5, 3, 3.5, 4, 5])
        {
            RicochetFigures figures = RicochetModel.Run(Case(64, LateralCode.Field, rate, seconds));
            Say(
                $"  {rate:F1}  {figures.Recovered:P2} {Mean(figures):F1} {P(figures, 0.99):F0} "
                + $"{figures.RepairShare:P1}");
        }
        return 0;
    }

    private static IEnumerable<(LateralCode, double)> Kinds() => [(LateralCode.Xor, 5), (LateralCode.Field, 2.5)];

    private static RicochetCase Case(int groups, LateralCode code, double rate, double seconds)
    {
        int[][] members = RicochetCase.Draw(Nodes, groups, Size, 7);
        double[] rates = [.. Enumerable.Repeat(rate, Math.Max(1, groups * Nodes / Size))];
        return new RicochetCase(members, rates, code) { Seconds = seconds };
    }

    private static void TwoGroups(int both, double seconds)
    {
        var members = new int[16][];
        for (int node = 0; node < 16; node++)
            members[node] = node < both ? [0, 1] : (node - both) % 2 == 0 ? [0] : [1];
        RicochetFigures figures = RicochetModel.Run(
            new RicochetCase(members, [5, 3], LateralCode.Xor) { Seconds = seconds });
        double Of(int group)
        {
            (long lost, long recovered) = figures.ByGroup.GetValueOrDefault(group);
            return lost == 0 ? 0 : (double)recovered / lost;
        }
        Say($" {both,2}  {Of(0),7:P1}  {Of(1),7:P1}  {figures.RepairShare,7:P1}  {Mean(figures),7:F1}");
    }

    private static void Sweep(int groups, double seconds)
    {
        RicochetFigures exact = RicochetModel.Run(Case(groups, LateralCode.Xor, 5, seconds));
        RicochetFigures field = RicochetModel.Run(Case(groups, LateralCode.Field, 2.5, seconds));
        Say(
            $"{groups,4}  {exact.Recovered,16:P2} {Mean(exact),5:F1} {exact.CombinedAPacket,5:F1} "
            + $"{exact.RepairShare,5:P1}  {field.Recovered,19:P2} {Mean(field),5:F1} {P(field, 0.99),5:F0} "
            + $"{field.RepairShare,5:P1} {field.CombinedAPacket,5:F1}  "
            + $"{RicochetFigures.Mean(exact.Discoveries),7:F0} ms");
    }

    private static void Distribution(LateralCode code, double rate, double seconds)
    {
        RicochetFigures figures = RicochetModel.Run(Case(64, code, rate, seconds));
        double Within(double limit) => figures.Spreads.Count(one => one <= limit) / (double)figures.Spreads.Count;
        Say(
            $"  {code,-5} {P(figures, 0.5):F1} {P(figures, 0.9):F0} {P(figures, 0.99):F0} ms;  "
            + $"{Within(1.25):P1} {Within(18):P1} {Within(77):P2}");
    }

    private static void Trouble(string name, double seconds, Func<RicochetCase, RicochetCase> change)
    {
        string line = $"  {name,-22}";
        foreach ((LateralCode code, double rate) in Kinds())
        {
            RicochetFigures figures = RicochetModel.Run(change(Case(64, code, rate, seconds)));
            line += $"  {code} (8,{rate}): {figures.Recovered:P2}, {Mean(figures):F0} ms";
        }
        Say(line);
    }

    private static double Mean(RicochetFigures figures) => RicochetFigures.Mean(figures.Delays);

    private static double P(RicochetFigures figures, double share) => RicochetFigures.At(figures.Delays, share);

    private static void Say(FormattableString line) => Console.WriteLine(line.ToString(CultureInfo.InvariantCulture));

    private static void Say(string line) => Console.WriteLine(line);
}
