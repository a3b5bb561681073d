namespace QuickSilver.Bench.Roles;

/// <summary>A run came to no result: a process failed or the time was up.</summary>
internal sealed class RunFailedException(string message) : Exception(message);
