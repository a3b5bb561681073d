namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// The pauses of a node between attempts to reach its membership server, and the time that a founding server waits for
/// survivors that keep this pace. Any thread.
/// </summary>
internal static class ReconnectPace
{
    private const int MostDoublings = 4;
    private const int MostServers = 2;
    // The pause after the first attempt to connect that failed; it doubles with each.
    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(16);
    // What a founding server allows for the connection of a survivor.
    private static readonly TimeSpan Margin = TimeSpan.FromMilliseconds(88);

    /// <summary>The longest pause, after any number of failures.</summary>
    public static TimeSpan Longest => LongestAfter(MostDoublings);

    /// <summary>
    /// The founding grace of a server at an address of its own. It allows a survivor to call each of two addresses
    /// after the longest pause, with a margin for the connection.
    /// </summary>
    public static TimeSpan HostFoundingGrace => (MostServers * Longest) + Margin;

    /// <summary>
    /// The founding grace of a server on the machine of all its nodes. Their connections break at once, and one of them
    /// takes its place.
    /// </summary>
    public static TimeSpan LoopbackFoundingGrace => TimeSpan.FromMilliseconds(100);

    /// <summary>The longest pause after a number of consecutive failures.</summary>
    public static TimeSpan LongestAfter(int failures) => First * (1 << Math.Min(failures, MostDoublings));
}
