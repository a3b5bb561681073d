using System.CommandLine;
using QuickSilver.Simulator.Ricochet;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Redraws the evaluation of Ricochet: repairs alone, in virtual time, beside the paper's values.</summary>
internal static class RicochetVerb
{
    private static readonly string[] Parts = ["two", "sweep", "delays", "trouble", "rates", "lanes", "processor"];

    public static Command Make()
    {
        var seconds = new Option<double>("--seconds")
        { Description = "How long each run is, in virtual time.", DefaultValueFactory = static _ => 12 };
        var most = new Option<int>("--groups")
        { Description = "The most groups of a node in the sweep.", DefaultValueFactory = static _ => 1024 };
        var least = new Option<int>("--from")
        { Description = "The fewest groups of a node in the sweep.", DefaultValueFactory = static _ => 2 };
        var seeds = new Option<int>("--seeds")
        { Description = "Runs of each case; figures are of all of them.", DefaultValueFactory = static _ => 1 };
        var parts = new Option<string[]>("--part")
        {
            Description = "Which parts: two (Figure 8), sweep (9, 10, 12, 14), delays (11, 15), trouble, rates, "
                + "lanes, processor (13). Default: all.",
            AllowMultipleArgumentsPerToken = true,
            DefaultValueFactory = static _ => Parts,
        };
        parts.AcceptOnlyFromAmong(Parts);
        var csv = new Option<FileInfo?>("--csv")
        { Description = "The sweep as a table, for bench/history/figures/ricochet.gp." };
        var processor = new Option<FileInfo?>("--processor-csv")
        { Description = "Figure 13 as a table, for bench/history/figures/ricochet-processor.gp." };
        var command = new Command("ricochet", "Redraws Figures 8 to 15 of Ricochet, by the library's bins and codes.")
        {
            seconds, least, most, seeds, parts, csv, processor,
        };
        command.SetAction(parsed =>
        {
            var report = new RicochetReport(parsed.GetValue(seconds), parsed.GetValue(seeds), Console.WriteLine);
            string[] chosen = parsed.GetValue(parts)!;
            if (chosen.Contains("two")) report.TwoGroups();
            if (chosen.Contains("sweep"))
                report.Sweep(parsed.GetValue(least), parsed.GetValue(most), parsed.GetValue(csv));
            if (chosen.Contains("delays")) report.Delays();
            if (chosen.Contains("trouble")) report.Troubles();
            if (chosen.Contains("rates")) report.Rates();
            if (chosen.Contains("lanes")) report.Lanes();
            if (chosen.Contains("processor"))
                report.Processor(parsed.GetValue(least), parsed.GetValue(most), parsed.GetValue(processor));
            return 0;
        });
        return command;
    }
}
