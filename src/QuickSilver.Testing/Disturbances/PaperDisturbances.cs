using QuickSilver.Testing.Faults;

namespace QuickSilver.Testing.Disturbances;

/// <summary>The disturbances of the two papers by name, at 110 nodes and 8000 messages a second of 1000 bytes,
/// shortened where the figure still shows.</summary>
internal static class PaperDisturbances
{
    private static readonly TimeSpan Begin = TimeSpan.FromSeconds(10);

    /// <summary>All of them.</summary>
    public static IReadOnlyList<DisturbanceSpec> All { get; } =
    [
        new DisturbanceSpec
        {
            Name = "loss",
            Paper = "first paper, Figure 16: every 10 s one receiver loses everything for 1 s; "
                + "10-15 % less throughput, 25 % in the largest group (110)",
            Duration = TimeSpan.FromSeconds(30),
            DisturbedUntil = TimeSpan.FromSeconds(30),
            Faults = [.. Every(10, 20, at => new DeafNode(at, TimeSpan.FromSeconds(1), 1))],
        },
        Burst(100),
        Burst(250),
        Burst(500),
        new DisturbanceSpec
        {
            Name = "crash",
            Paper =
                "first paper, Figure 18: a receiver ends, seen after 10 s; sending goes on up to the pending limit, "
                + "a pause of 3 s at the view change, full speed and everything acknowledged within seconds of the "
                + "detection",
            Duration = TimeSpan.FromSeconds(36),
            DisturbedUntil = TimeSpan.FromSeconds(36),
            Faults = [new NodeCrash(Begin, 1)],
        },
        new DisturbanceSpec
        {
            Name = "freeze",
            Paper = "first paper, Figure 19: a receiver stands still for 10 s, the detector off, 7500/s; the sender "
                + "fills 100,000 pending, "
                + "pauses, resumes below the low mark; disturbed for more than twice as long as by a crash",
            Rate = 7500,
            Duration = TimeSpan.FromSeconds(46),
            DisturbedUntil = TimeSpan.FromSeconds(46),
            FailureTimeout = Timeout.InfiniteTimeSpan,
            Faults = [new NodeFreeze(Begin, TimeSpan.FromSeconds(10), 1)],
        },
        new DisturbanceSpec
        {
            Name = "overload",
            Paper = "first paper, Figure 22: two senders a little beyond the 9300/s that receivers sustain together; "
                + "the combined rate oscillates between bursts and pauses",
            Senders = 2,
            Rate = 5000,
            Victim = 2,
            Duration = TimeSpan.FromSeconds(25),
            DisturbedUntil = TimeSpan.FromSeconds(25),
        },
        new DisturbanceSpec
        {
            Name = "sleep",
            Paper = "second paper, Figures 24-29: one receiver sleeps for 0.5 s every 5 s; throughput declines from 80 "
                + "nodes on, "
                + "2-3 % of packets lost there, pending grows 6-8 times faster than undisturbed, token rounds take "
                + "twice as long",
            Duration = TimeSpan.FromSeconds(30),
            DisturbedUntil = TimeSpan.FromSeconds(30),
            Faults = [.. Every(5, 25, at => new NodeFreeze(at, TimeSpan.FromSeconds(0.5), 1))],
        },
    ];

    /// <summary>One of them; null when there is none of that name.</summary>
    public static DisturbanceSpec? Find(string name) => All.FirstOrDefault(spec => spec.Name == name);

    private static DisturbanceSpec Burst(int milliseconds) => new()
    {
        Name = $"loss-{milliseconds}ms",
        Paper =
            $"first paper, Figure 17: as Figure 16, with losses of {milliseconds} ms; the damage shrinks in proportion",
        Duration = TimeSpan.FromSeconds(30),
        DisturbedUntil = TimeSpan.FromSeconds(30),
        Faults = [.. Every(10, 20, at => new DeafNode(at, TimeSpan.FromMilliseconds(milliseconds), 1))],
    };

    private static IEnumerable<Fault> Every(int period, int until, Func<TimeSpan, Fault> make)
    {
        for (int second = (int)Begin.TotalSeconds; second <= until; second += period)
            yield return make(TimeSpan.FromSeconds(second));
    }
}
