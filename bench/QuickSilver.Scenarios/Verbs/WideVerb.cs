using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Scenarios.Wide;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>The tables and figures of the third paper on Hop, drawn again by processes in network namespaces.</summary>
internal sealed class WideVerb : IScenario
{
    private readonly Option<WidePart[]> _parts = new("--part")
    {
        Description = "Chain, trees, link, narrow or tree; may be repeated.",
        DefaultValueFactory = _ => Enum.GetValues<WidePart>(),
    };
    private readonly Option<WideLinkKind[]> _kinds = new("--link")
    {
        Description = "Hop, tcp or tcpBbr; may be repeated.",
        DefaultValueFactory = _ => Enum.GetValues<WideLinkKind>(),
    };
    private readonly Option<int> _echoes = new Option<int>("--echoes")
    { Description = "Round trips of each figure.", DefaultValueFactory = _ => 30 }.AtLeast(1);
    private readonly Option<double> _warmUp = new Option<double>("--warmup")
    { Description = "Seconds of sending before measuring.", DefaultValueFactory = _ => 5 }.AtLeast(0);
    private readonly Option<double> _seconds = new Option<double>("--seconds")
    { Description = "Seconds measured.", DefaultValueFactory = _ => 15 }.Above(0);
    private readonly Option<FileInfo?> _markdown = new("--markdown")
    { Description = "Write the tables to this file as Markdown.", HelpName = "FILE" };

    /// <inheritdoc/>
    public string Verb => "wide";

    /// <inheritdoc/>
    public string Summary =>
        "Six sites far apart, in network namespaces: the tables and figures of the paper on Hop, by Hop and by TCP.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_parts, _kinds, _echoes, _warmUp, _seconds, _markdown];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        if (!WideNetwork.CanMake) throw new RunFailedException("wide needs Linux, root, iproute2 and /dev/net/tun.");
        WideLinkKind[] kinds = parsed.GetValue(_kinds)!;
        var floods = new WideFloods(
            kinds, TimeSpan.FromSeconds(parsed.GetValue(_warmUp)), TimeSpan.FromSeconds(parsed.GetValue(_seconds)),
            Console.WriteLine);
        List<WideTable> tables = [];
        foreach (WidePart part in parsed.GetValue(_parts)!)
        {
            ct.ThrowIfCancellationRequested();
            tables.AddRange(part switch
            {
                WidePart.Chain => await new WideChain(parsed.GetValue(_echoes), kinds, Console.WriteLine).RunAsync(),
                WidePart.Trees => [await floods.RunTreesAsync()],
                WidePart.Narrow => [await floods.RunLinkAsync(megabits: 1.6)],
                WidePart.Link => [await floods.RunLinkAsync(megabits: 10)],
                _ => [await floods.RunTreeAsync()],
            });
        }
        if (parsed.GetValue(_markdown) is { } file)
        {
            await File.WriteAllTextAsync(
                file.FullName, string.Join('\n', tables.Select(static table => table.ToMarkdown())), ct);
        }
        List<RunReport> runs = [.. tables.Select(static table => new RunReport { Variant = table.Title })];
        return new ScenarioOutcome(runs, [], new Rows(tables.Select(static table => table.ToTable())));
    }
}
