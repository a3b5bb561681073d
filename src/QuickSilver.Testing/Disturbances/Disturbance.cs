using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Stack;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Disturbances;

/// <summary>
/// Runs a <see cref="DisturbanceSpec"/>: the papers' network (100 Mbit/s, receive buffers of 4 MB, one message a
/// packet) and processors, all nodes in one group, senders that always have another message. Counters are read at the
/// end of each bin.
/// <para>
/// What is lost is lost for good in the curve: a source that always has another message cannot make up for a pause
/// later, as one with a fixed plan of messages could. Every promise of the protocol is checked all the while.
/// </para>
/// </summary>
internal sealed class Disturbance
{
    private const string Group = "all";
    private const double RecoveredShare = 0.95;
    private static readonly TimeSpan SettleLimit = TimeSpan.FromSeconds(60);

    private readonly DisturbanceSpec _spec;
    private readonly SimulatedCluster _cluster;
    private readonly List<CurvePoint> _curve = [];
    private Sample _before;

    private Disturbance(DisturbanceSpec spec)
    {
        _spec = spec;
        _cluster = new SimulatedCluster(OptionsOf(spec));
    }

    /// <summary>Runs one.</summary>
    /// <exception cref="InvariantViolationException">A promise was broken.</exception>
    /// <exception cref="ArgumentOutOfRangeException">It has fewer nodes than it needs.</exception>
    public static DisturbanceResult Run(DisturbanceSpec spec)
    {
        ArgumentNullException.ThrowIfNull(spec);
        ArgumentOutOfRangeException.ThrowIfLessThan(spec.Nodes, spec.LeastNodes, nameof(spec));
        if (spec.Witness >= spec.Nodes) spec = spec with { Witness = spec.Nodes - 1 };
        return new Disturbance(spec).Run();
    }

    private static SimulationOptions OptionsOf(DisturbanceSpec spec) => new()
    {
        Nodes = spec.Nodes,
        Seed = spec.Seed,
        Processor = spec.Processor,
        Memory = spec.Memory,
        KeepsReceived = false,
        Network = new NetworkModel
        {
            Bandwidth = 100_000_000,
            ReceiveBufferBytes = 4 << 20,
            ControlBufferBytes = 4 << 20,
            // One message a packet, as in the papers' runs: what is left beside header and record is too little to
            // split a message for.
            SlotBytes = spec.MessageBytes + 96,
            MulticastLoopback = false,
            CoalesceReads = false,
            ChecksumPayloads = false,
        },
        // A node that ended is missed like one that fell silent: the papers' detector had heartbeats only.
        Membership = new MembershipServerSettings
        {
            FailureTimeout = spec.FailureTimeout,
            ReconnectGrace = spec.FailureTimeout == Timeout.InfiniteTimeSpan
                ? TimeSpan.FromSeconds(2) : spec.FailureTimeout,
        },
        Node = new NodeSettings
        {
            MaxPendingBytes = 256L << 20,
            NodeMaxPendingBytes = 256L << 20,
            Dissemination = new DisseminationSettings
            {
                Rate = new RateSettings { Max = spec.Rate, Initial = spec.Rate > 0 ? spec.Rate : 10_000 },
            },
        },
    };

    private DisturbanceResult Run()
    {
        long started = Stopwatch.GetTimestamp();
        _cluster.JoinAll(Group);
        for (int sender = 0; sender < _spec.Senders; sender++)
            _cluster.Nodes[sender].PullEndlessly(Group, _spec.MessageBytes);
        TimeSpan origin = _cluster.Elapsed;
        foreach (Fault fault in _spec.Faults) _cluster.Inject(fault with { At = origin + fault.At });
        _before = Look();
        for (TimeSpan time = _spec.Bin; time <= _spec.Duration; time += _spec.Bin)
        {
            _cluster.RunFor(_spec.Bin);
            AddPoint(time);
        }
        TimeSpan real = Stopwatch.GetElapsedTime(started);
        for (int sender = 0; sender < _spec.Senders; sender++) _cluster.Nodes[sender].PullEndlessly(Group, 0);
        _cluster.RunFor(_spec.Bin);
        bool settled = _cluster.RunUntil(() => _cluster.IsSettled, SettleLimit);
        return Summarise(settled, real);
    }

    private void AddPoint(TimeSpan time)
    {
        Sample now = Look();
        double seconds = _spec.Bin.TotalSeconds;
        Sample was = _before;
        _curve.Add(new CurvePoint(
            time, (now.Sent - was.Sent) / seconds, (now.Witness.Count - was.Witness.Count) / seconds,
            (now.Victim.Count - was.Victim.Count) / seconds,
            (now.Sent - now.Pending - was.Sent + was.Pending) / seconds, now.Pending,
            now.Witness.MeanSince(was.Witness),
            now.Victim.MeanSince(was.Victim), now.TokenRound, (now.SenderTime - was.SenderTime) / _spec.Bin,
            (now.VictimTime - was.VictimTime) / _spec.Bin));
        _before = now;
    }

    private Sample Look()
    {
        long sent = 0, pending = 0;
        TimeSpan round = default;
        for (int sender = 0; sender < _spec.Senders; sender++)
        {
            DisseminationCounters counters = _cluster.Nodes[sender].Stack.Rooms.DisseminationCounters;
            sent += (long)counters.MessagesSent;
            pending += counters.PendingMessages;
        }
        ulong rounds = 0;
        foreach (SimulatedNode node in _cluster.Nodes)
        {
            RecoveryCounters counters = node.Stack.Rooms.RecoveryCounters;
            if (!node.IsAlive || counters.TokenRounds <= rounds) continue;
            (rounds, round) = (counters.TokenRounds, counters.TokenRoundTrip);
        }
        return new Sample(
            sent, pending, DeliveredAt(_spec.Witness), DeliveredAt(_spec.Victim), round, TimeOf(0),
            TimeOf(_spec.Victim));
    }

    private Deliveries DeliveredAt(int node)
    {
        SimulatedGroup? session = _cluster.Nodes[node].FindGroup(Group);
        return session is null ? default : new Deliveries(session.Delivered, session.DeliveryTimes);
    }

    private TimeSpan TimeOf(int node) => _cluster.Nodes[node].TimeWorked + _cluster.Nodes[node].TimePaused;

    private DisturbanceResult Summarise(bool settled, TimeSpan real)
    {
        CurvePoint[] calm = Between(_spec.CalmFrom, _spec.DisturbedFrom);
        CurvePoint[] disturbed = Between(_spec.DisturbedFrom, _spec.DisturbedUntil);
        double calmRate = calm.Average(point => point.Sent);
        NodeCounters victim = _cluster.Nodes[_spec.Victim].Counters;
        return new DisturbanceResult
        {
            Spec = _spec,
            Curve = _curve,
            CalmRate = calmRate,
            DisturbedRate = disturbed.Average(point => point.Sent),
            Oscillation = OscillationOf(disturbed),
            Recovered = RecoveryAfter(LastFaultEnds(), calmRate),
            CalmLatency = LatencyOf(calm, point => point.Latency, point => point.Witness),
            WitnessLatency = LatencyOf(disturbed, point => point.Latency, point => point.Witness),
            VictimLatency = LatencyOf(disturbed, point => point.VictimLatency, point => point.Victim),
            VictimRepairs = (victim.PacketsMissed, victim.RepairsFromPeers, victim.RepairsFromSenders),
            Speed = _spec.Duration / real,
            Settled = settled,
        };
    }

    private CurvePoint[] Between(TimeSpan from, TimeSpan until) =>
        [.. _curve.Where(point => point.Time > from && point.Time <= until)];

    private TimeSpan LastFaultEnds() => _spec.Faults.Count == 0
        ? _spec.DisturbedFrom
        : _spec.Faults.Max(fault => fault.Duration == Timeout.InfiniteTimeSpan ? fault.At : fault.At + fault.Duration);

    private TimeSpan? RecoveryAfter(TimeSpan end, double calmRate)
    {
        int second = Math.Max(1, (int)Math.Round(TimeSpan.FromSeconds(1) / _spec.Bin));
        // A node that is gone for good is missed until it is removed: what it holds up grows till then.
        bool isForGood = _spec.Faults.Any(fault => fault.At == end && fault.Duration == Timeout.InfiniteTimeSpan);
        TimeSpan from = isForGood ? _curve.Where(point => point.Time > end).MaxBy(point => point.Pending)!.Time : end;
        for (int index = 0; index + second <= _curve.Count; index++)
        {
            if (_curve[index].Time <= from) continue;
            CurvePoint[] window = [.. _curve.Skip(index).Take(second)];
            bool fast = window.Average(point => point.Sent) >= RecoveredShare * calmRate;
            if (fast && window[0].Pending < calmRate) return window[0].Time - _spec.Bin - end;
        }
        return null;
    }

    private double OscillationOf(CurvePoint[] points)
    {
        int second = Math.Max(1, (int)Math.Round(TimeSpan.FromSeconds(1) / _spec.Bin));
        double[] rates = [
            .. points.Chunk(second).Where(chunk => chunk.Length == second)
            .Select(chunk => chunk.Average(point => point.Witness))];
        double mean = rates.Average();
        return Math.Sqrt(rates.Average(rate => (rate - mean) * (rate - mean))) / mean;
    }

    private static TimeSpan LatencyOf(
        CurvePoint[] points, Func<CurvePoint, TimeSpan> latency, Func<CurvePoint, double> count)
    {
        double all = points.Sum(count);
        return all == 0
            ? default : TimeSpan.FromSeconds(points.Sum(point => latency(point).TotalSeconds * count(point)) / all);
    }

    private readonly record struct Deliveries(long Count, TimeSpan Times)
    {
        public TimeSpan MeanSince(in Deliveries before) =>
            Count == before.Count ? default : (Times - before.Times) / (Count - before.Count);
    }

    private readonly record struct Sample(
        long Sent, long Pending, Deliveries Witness, Deliveries Victim, TimeSpan TokenRound, TimeSpan SenderTime,
        TimeSpan VictimTime);
}
