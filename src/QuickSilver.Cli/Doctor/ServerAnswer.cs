namespace QuickSilver.Cli.Doctor;

/// <summary>What came of a start with one server alone.</summary>
/// <param name="Server">The server, as "host:port".</param>
/// <param name="Failure">Why it did not admit the node; null if it did.</param>
internal sealed record ServerAnswer(string Server, Exception? Failure);
