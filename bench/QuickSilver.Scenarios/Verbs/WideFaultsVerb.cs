using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Scenarios.Wide;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>Faults of gateways, links and sites under traffic, by processes in network namespaces.</summary>
internal sealed class WideFaultsVerb : IScenario
{
    private readonly Option<int> _rate = new Option<int>("--rate")
    {
        Description = "Messages a second of each site, to the group and into the order of all.",
        DefaultValueFactory = _ => 10,
    }.AtLeast(1);

    /// <inheritdoc/>
    public string Verb => "wide-faults";

    /// <inheritdoc/>
    public string Summary =>
        "Six sites far apart, in network namespaces: a gateway is killed, a link and a site are cut, a site is slow.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_rate];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        if (!WideNetwork.CanMake)
            throw new RunFailedException("wide-faults needs Linux, root, iproute2 and /dev/net/tun.");
        await using var faults = new WideFaults(parsed.GetValue(_rate), Console.WriteLine);
        WideTable table = await faults.RunAsync();
        foreach (string failure in faults.Failures) Console.WriteLine(failure);
        return new ScenarioOutcome(
            [new RunReport { Variant = table.Title, Failures = faults.Failures }], [], table.ToTable());
    }
}
