using QuickSilver.Bench.Reports;

namespace QuickSilver.Bench.Roles;

/// <summary>One line of JSON that a child process writes.</summary>
/// <param name="Kind">"ready", "result", "failed", or an answer to a command.</param>
/// <param name="Result">Of "result".</param>
/// <param name="Failure">Of "failed", in words.</param>
internal sealed record RoleLine(string Kind, ProcessReport? Result = null, string? Failure = null);
