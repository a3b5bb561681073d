namespace QuickSilver.Runtime;

/// <summary>Numbers that tell the lives of one address apart.</summary>
internal static class Incarnations
{
    /// <summary>Milliseconds since 1970: rises from one life to the next, also of another process, as long as nobody sets the clock back.</summary>
    public static ulong Next() => (ulong)Math.Max(1, TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds());
}
