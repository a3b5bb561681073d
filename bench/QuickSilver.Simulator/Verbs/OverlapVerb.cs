using System.CommandLine;
using System.Globalization;
using QuickSilver.Bench;
using QuickSilver.Simulator.Overlap;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Counts what irregular overlap costs with exact and merged regions.</summary>
internal static class OverlapVerb
{
    private const int Addresses = 64;

    public static Command Make()
    {
        var nodes = new Option<int>("--nodes") { Description = "Nodes.", DefaultValueFactory = _ => 16 };
        var groups = new Option<int>("--groups") { Description = "Groups.", DefaultValueFactory = _ => 1000 };
        var packed = new Option<int>("--packed")
        { Description = "Messages of different groups that a packet carries.", DefaultValueFactory = _ => 1 };
        var csv = new Option<FileInfo?>("--csv")
        { Description = "Write the figures to this file.", HelpName = "FILE" };
        var command = new Command(
            "overlap",
            "Copies sent a message, packets filtered, addresses: patterns of groups, with exact and merged regions.")
        {
            nodes,
            groups,
            packed,
            csv,
        };
        command.SetAction(parsed =>
        {
            var all = new List<OverlapFigures>();
            foreach (OverlapPattern pattern in OverlapPattern.MakeAll(parsed.GetValue(nodes), parsed.GetValue(groups)))
                all.AddRange(Count(pattern, parsed.GetValue(nodes), parsed.GetValue(packed)));
            Write(Console.Out, all, "| ", " | ", " |", isCsv: false);
            if (parsed.GetValue(csv) is not { } file) return 0;
            using StreamWriter writer = file.CreateText();
            Write(writer, all, "", ",", "", isCsv: true);
            return 0;
        });
        return command;
    }

    private static List<OverlapFigures> Count(OverlapPattern pattern, int nodes, int packed)
    {
        var exact = new OverlapWorld(pattern, nodes, Addresses, int.MaxValue);
        var regional = OverlapFigures.Count(pattern, nodes, "exact", exact, packed);
        List<OverlapFigures> found = [regional];
        for (int most = regional.Regions - 1; most >= 1; most--)
        {
            var merged = new OverlapWorld(pattern, nodes, Addresses, most);
            found.Add(OverlapFigures.Count(pattern, nodes, $"merged {most}", merged, packed));
        }
        found.Add(OverlapFigures.Hybrid(pattern, nodes, Addresses, exact, regional));
        found.Add(OverlapFigures.PerGroup(pattern));
        return found;
    }

    private static void Write(
        TextWriter to, List<OverlapFigures> all, string left, string middle, string right, bool isCsv)
    {
        string[] heads = [
            "pattern", "regions", "number", "addresses", "copies a message", "filtered a delivered packet",
            "filtered share"];
        to.WriteLine(left + string.Join(middle, heads) + right);
        if (!isCsv) to.WriteLine(left + string.Join(middle, heads.Select(_ => "---")) + right);
        foreach (OverlapFigures line in all)
        {
            string[] cells = [
                line.Pattern, line.Scheme, Text(line.Regions), Text(line.Addresses), Text(line.Copies),
                Text(line.Filtered), Text(line.FilteredShare)];
            to.WriteLine(left + string.Join(middle, cells) + right);
        }
    }

    private static string Text(int value) => value.ToString(CultureInfo.InvariantCulture);

    private static string Text(double value) => value.ToString("F2", CultureInfo.InvariantCulture);
}
