using QuickSilver.Protocol.Timed;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulator.Timed;

/// <summary>One measured run of a timed group: the workload of the VE paper on a simulated network.</summary>
internal sealed record TimedScene
{
    private const string Group = "timed-world";
    private static readonly TimeSpan WarmUp = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan Tail = TimeSpan.FromSeconds(4);

    /// <summary>Members.</summary>
    public int Nodes { get; init; } = 45;

    /// <summary>Members that send, the first ones.</summary>
    public int Senders { get; init; } = 1;

    /// <summary>Messages a second of each.</summary>
    public double PerSecond { get; init; } = 30;

    /// <summary>Bytes of a message.</summary>
    public int Bytes { get; init; } = 1024;

    /// <summary>Objects of each sender; 0: messages have no key.</summary>
    public int Keys { get; init; }

    /// <summary>Share of datagrams that senders lose before they are sent: all members lack the same.</summary>
    public double SenderLoss { get; init; }

    /// <summary>Share of datagrams that each link loses by itself.</summary>
    public double LinkLoss { get; init; }

    /// <summary>The contract; its packets a second follow from the workload.</summary>
    public TimedSettings Settings { get; init; } = new();

    /// <summary>How long messages are sent.</summary>
    public TimeSpan Length { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Runs it.</summary>
    public TimedFigures Run(ulong seed)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = Nodes,
            Seed = seed,
            KeepsReceived = false,
            Timed = Settings with
            {
                PacketsPerSecond = (int)Math.Ceiling(2 * PerSecond * Math.Ceiling(Bytes / 1024.0)),
            },
            TimedKeys = Keys,
            Network = new NetworkModel
            {
                Bandwidth = 100_000_000,
                Link = new LinkModel { Loss = LinkLoss },
            },
        });
        cluster.JoinAll(Group);
        cluster.RunFor(WarmUp);
        if (SenderLoss > 0)
        {
            // Bad stretches shorter than a frame, so that each datagram fares by itself.
            TimeSpan bad = TimeSpan.FromMilliseconds(2);
            cluster.Inject(new BurstLoss(
                cluster.Elapsed, Length + Tail, LossScope.Sender, bad * ((1 - SenderLoss) / SenderLoss), bad, 1));
        }
        var before = TimedFigures.Count(cluster);
        var interval = TimeSpan.FromSeconds(1 / PerSecond);
        int count = (int)(Length.TotalSeconds * PerSecond);
        for (int sender = 0; sender < Senders; sender++)
        {
            cluster.Start(new SendPlan(sender, Group, count, interval)
            {
                Start = interval * (sender / (double)Math.Max(1, Senders)),
                MinBytes = Bytes,
                MaxBytes = Bytes,
            });
        }
        cluster.RunFor(Length + Tail);
        return TimedFigures.Count(cluster).Since(before, this, count);
    }
}
