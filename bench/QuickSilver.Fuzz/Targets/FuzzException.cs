namespace QuickSilver.Fuzz.Targets;

/// <summary>A decoder took something that makes no sense, or kept something of what it refused.</summary>
internal sealed class FuzzException(string what) : Exception(what);
