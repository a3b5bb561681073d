namespace QuickSilver.Dashboard.Json;

/// <summary>An answer that is none (RFC 9457).</summary>
/// <param name="Type">Kind of the problem.</param>
/// <param name="Title">What is wrong.</param>
/// <param name="Status">Status of the answer.</param>
internal sealed record Problem(string Type, string Title, int Status);
