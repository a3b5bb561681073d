using System.CommandLine;
using System.CommandLine.Parsing;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>One thing that can be measured.</summary>
internal interface IScenario
{
    /// <summary>The word on the command line.</summary>
    string Verb { get; }

    /// <summary>One sentence for <c>--list</c> and <c>--help</c>.</summary>
    string Summary { get; }

    /// <summary>Its options; <c>--json</c> comes by itself.</summary>
    IReadOnlyList<Option> Options { get; }

    /// <summary>Refuses what cannot be run.</summary>
    void Validate(CommandResult result);

    /// <summary>Runs it.</summary>
    Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct);
}
