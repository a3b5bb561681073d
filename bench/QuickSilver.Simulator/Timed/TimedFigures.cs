using QuickSilver.Protocol.Timed;
using QuickSilver.Testing;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulator.Timed;

/// <summary>What a run of a timed group counted, in all nodes together.</summary>
internal sealed record TimedFigures
{
    private ulong _messages;
    private ulong _sent;
    private ulong _packets;
    private ulong _repairs;
    private TimeSpan _times;

    /// <summary>Messages that others than their sender delivered.</summary>
    public double Delivered { get; private init; }

    /// <summary>Share of what others should have delivered.</summary>
    public double Share { get; private init; }

    /// <summary>Messages that a member delivered of others, a second.</summary>
    public double PerMemberPerSecond { get; private init; }

    /// <summary>Kilobytes that a member delivered of others, a second.</summary>
    public double KilobytesPerSecond { get; private init; }

    /// <summary>Packets sent, repairs included, for each packet sent first.</summary>
    public double SendsPerPacket { get; private init; }

    /// <summary>Mean time from sending to delivery.</summary>
    public TimeSpan Age { get; private init; }

    /// <summary>Requests sent.</summary>
    public ulong Naks { get; private set; }

    /// <summary>Messages reported lost.</summary>
    public ulong Expired { get; private set; }

    /// <summary>Counts up to now.</summary>
    public static TimedFigures Count(SimulatedCluster cluster)
    {
        var figures = new TimedFigures();
        foreach (SimulatedNode node in cluster.Nodes)
        {
            TimedCounters counters = node.Stack.Rooms.TimedCounters;
            figures._messages += counters.Messages;
            figures._sent += counters.MessagesSent;
            figures._packets += counters.PacketsSent;
            figures._repairs += counters.Repairs + counters.PartnerRepairs;
            figures.Naks += counters.NaksSent;
            figures.Expired += counters.Expired;
            foreach (SimulatedGroup group in node.Groups) figures._times += group.DeliveryTimes;
        }
        return figures;
    }

    /// <summary>The figures of what came after an earlier count.</summary>
    public TimedFigures Since(TimedFigures before, TimedScene scene, int messages)
    {
        ulong own = _sent - before._sent;
        double delivered = _messages - before._messages - own;
        double perMember = delivered / scene.Nodes / scene.Length.TotalSeconds;
        // A member does not get its own messages from others.
        double expected = (double)messages * scene.Senders * (scene.Nodes - 1);
        double packets = Math.Max(1, _packets - before._packets);
        return new TimedFigures
        {
            Delivered = delivered,
            Share = delivered / expected,
            PerMemberPerSecond = perMember,
            KilobytesPerSecond = perMember * scene.Bytes / 1000,
            SendsPerPacket = (packets + (_repairs - before._repairs)) / packets,
            Age = (_times - before._times) / Math.Max(1, delivered),
            Naks = Naks - before.Naks,
            Expired = Expired - before.Expired,
        };
    }
}
