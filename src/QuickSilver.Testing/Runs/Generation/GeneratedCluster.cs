using QuickSilver.Protocol.Membership;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>What the parts of the generator know of the run that they draw for.</summary>
/// <param name="Options">The cluster.</param>
/// <param name="Bounds">What may be drawn.</param>
/// <param name="Groups">Groups of each machine.</param>
/// <param name="Plans">Who sends.</param>
/// <param name="Length">Length of the first phase.</param>
internal sealed record GeneratedCluster(
    SimulationOptions Options, GeneratorOptions Bounds, IReadOnlyList<IReadOnlyList<string>> Groups,
    IReadOnlyList<SendPlan> Plans, TimeSpan Length)
{
    /// <summary>Machines.</summary>
    public int Nodes => Options.Nodes;

    /// <summary>The detector's patience; infinite: there is none.</summary>
    public TimeSpan Patience => Options.Membership.FailureTimeout;

    /// <summary>True when the detector removes nodes for silence.</summary>
    public bool HasDetector => Patience != Timeout.InfiniteTimeSpan;

    /// <summary>A disturbance of the channel to the membership server that nobody is removed for.</summary>
    public TimeSpan Harmless
    {
        get
        {
            TimeSpan grace = Options.Membership.ReconnectGrace;
            return (HasDetector && Patience < grace ? Patience : grace) / 3;
        }
    }

    /// <summary>A time cut short at the end of the first phase.</summary>
    public TimeSpan Until(TimeSpan at, TimeSpan duration) => at + duration > Length ? Length - at : duration;

    /// <summary>True when some group is timed.</summary>
    public bool HasTimed => Groups.Any(
        static names => names.Any(static name => SimulatedModes.Of(name) == GroupModes.Timed));

    /// <summary>Machines whose nodes may go for good.</summary>
    public int[] MayGo { get; } =
        [.. Enumerable.Range(0, Options.Nodes)
            .Where(node => Bounds.SendersMayGo || Plans.All(plan => plan.Node != node))];
}
