namespace QuickSilver.Runtime;

/// <summary>Creates incarnations, the numbers that distinguish successive nodes on one address.</summary>
internal static class Incarnations
{
    /// <summary>Returns the milliseconds since 1970, at least 1. The number rises from one node to the next, across
    /// processes, unless the clock is set back.</summary>
    public static ulong Next() => (ulong)Math.Max(1, TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds());
}
