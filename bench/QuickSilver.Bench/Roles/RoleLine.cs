using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Rounds;

namespace QuickSilver.Bench.Roles;

/// <summary>One line of JSON that a child process writes.</summary>
/// <param name="Kind">"ready", "result", "failed", or an answer to a command.</param>
/// <param name="Result">Of "result".</param>
/// <param name="Failure">Of "failed", in words.</param>
/// <param name="Figures">Of <see cref="RoundCommands.Figures"/>.</param>
internal sealed record RoleLine(
    string Kind, ProcessReport? Result = null, string? Failure = null, RoundFigures? Figures = null);
