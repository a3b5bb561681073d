namespace QuickSilver.Bench.Chaos;

/// <summary>One incarnation of a process's node, and how many messages it has sent to each group: numbers go on through
/// its own leaves and joins, and end with it.</summary>
/// <param name="origin">What its payloads say.</param>
/// <param name="id">What the cluster calls it.</param>
/// <param name="groupCount">How many groups the process is told to join.</param>
internal sealed class ChaosLife(ChaosOrigin origin, MemberId id, int groupCount)
{
    /// <summary>What its payloads say.</summary>
    public ChaosOrigin Origin => origin;

    /// <summary>What the cluster calls it.</summary>
    public MemberId Id => id;

    /// <summary>Messages admitted to each group. Under <see cref="Lock"/>, which is held over the send, so that index
    /// and number agree.</summary>
    public long[] Sent { get; } = new long[groupCount];

    /// <summary>Makes counting and sending one step.</summary>
    public Lock Lock { get; } = new();
}
