using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Draws the faults of the first phase. Each ends with it at the latest, but crashes.</summary>
internal static class FaultDraw
{
    // Milliseconds. A member that answers each time so late is slow, not gone.
    private const double LongestDelay = 300;

    private const double StrangerRuns = 0.15;
    private const double ServerFreezeRuns = 0.15;

    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(20);

    private static readonly DatagramKind[] Chosen =
    [
        DatagramKind.Token, DatagramKind.TokenAck, DatagramKind.Ack, DatagramKind.Nak, DatagramKind.Pull,
        DatagramKind.Beacon, DatagramKind.Repair,
        DatagramKind.Data, DatagramKind.CarrierProbe, DatagramKind.CarrierWord, DatagramKind.Hybrid,
    ];

    // In runs that have timed groups: the others draw as before.
    private static readonly DatagramKind[] ChosenWithOrdered =
    [
        .. Chosen, DatagramKind.OrderedData, DatagramKind.OrderedRepair, DatagramKind.OrderedToken,
        DatagramKind.OrderedWord, DatagramKind.OrderedReport, DatagramKind.OrderedAsk, DatagramKind.OrderedCall,
    ];

    private static readonly DatagramKind[] ChosenWithTimed =
    [
        .. Chosen, DatagramKind.TimedData, DatagramKind.TimedRepair, DatagramKind.TimedNak, DatagramKind.TimedGone,
        DatagramKind.TimedStatus, DatagramKind.TimedEcho, DatagramKind.TimedAsk,
    ];

    /// <summary>Draws faults of the given kinds.</summary>
    public static IReadOnlyList<Fault> Draw(SimulationRandom random, GeneratedCluster cluster, FaultKind[] kinds)
    {
        if (kinds.Length == 0) return [];
        var faults = new List<Fault>();
        var dice = new Dice(random, RandomStream.Faults, part: 1);
        for (int count = Math.Max(1, (int)dice.Log(2, 24)); count > 0; count--)
        {
            FaultKind kind = dice.Pick(kinds);
            faults.AddRange(Draw(new Dice(random, RandomStream.Faults, part: 16 + (ulong)faults.Count), cluster, kind));
        }
        // Drawn apart: nothing of the run may be different for it.
        var stranger = new Dice(random, RandomStream.Faults, part: 2);
        if (stranger.Chance(StrangerRuns))
        {
            TimeSpan at = stranger.Time(First, cluster.Length);
            faults.Add(
                new ForgedSource(
                    at, cluster.Until(at, stranger.LogMillis(100, 30_000)), stranger.Unit() * stranger.Unit()));
        }
        faults.AddRange(DrawServerFreeze(new Dice(random, RandomStream.Faults, part: 10), cluster));
        faults.AddRange(DrawNarrow(new Dice(random, RandomStream.Faults, part: 3), cluster));
        // The end of the first phase may have left nothing of one. The draws above counted it all the same.
        faults.RemoveAll(fault => fault.Duration == TimeSpan.Zero && fault is not ServerReplacement);
        return faults;
    }

    // Drawn apart as well. Nodes may stand still with the server: those of its own process.
    private static List<Fault> DrawServerFreeze(Dice dice, GeneratedCluster cluster)
    {
        var faults = new List<Fault>();
        for (int count = dice.Chance(ServerFreezeRuns) ? dice.Between(1, 4) : 0; count > 0; count--)
        {
            TimeSpan at = dice.Time(First, cluster.Length);
            TimeSpan duration = cluster.Until(at, dice.LogMillis(300, 20_000));
            faults.Add(new ServerFreeze(at, duration, dice.LogMillis(0.01, 400)));
            bool isShared = dice.Chance(0.4) && duration.TotalMilliseconds < ShortFreeze(cluster);
            if (isShared) faults.Add(new NodeFreeze(at, duration, dice.Between(0, cluster.Nodes)));
        }
        return faults;
    }

    // Beside the kinds, since it hurts no machine: even where it lasts for ever all promises are kept.
    private static Fault[] DrawNarrow(Dice dice, GeneratedCluster cluster)
    {
        if (!dice.Chance(0.12)) return [];
        TimeSpan at = dice.Chance(0.5) ? TimeSpan.Zero : dice.Time(First, cluster.Length);
        bool isForEver = dice.Chance(0.4);
        TimeSpan duration = isForEver ? Timeout.InfiniteTimeSpan : cluster.Until(at, dice.LogMillis(500, 60_000));
        return [new LengthLimit(at, duration, Any(dice, cluster), Any(dice, cluster), dice.Between(560, 1_600))];
    }

    private static IEnumerable<Fault> Draw(Dice dice, GeneratedCluster cluster, FaultKind kind)
    {
        TimeSpan at = dice.Time(First, cluster.Length);
        int node = dice.Between(0, cluster.Nodes);
        TimeSpan duration = cluster.Until(at, dice.LogMillis(1, 10_000));
        bool mayBeLong = cluster.Bounds.MembersMayBeStuck || !cluster.HasDetector || duration < cluster.Patience / 2;
        TimeSpan bounded = mayBeLong ? duration : cluster.Patience / 2;
        return kind switch
        {
            FaultKind.Loss => [new LossBurst(at, duration, Any(dice, cluster), Any(dice, cluster), dice.Unit())],
            FaultKind.Bursts => [DrawBursts(dice, at, cluster.Until(at, dice.LogMillis(500, 30_000)))],
            FaultKind.ChosenKind =>
            [
                new KindLoss(
                    at,
                    cluster.Until(at, dice.LogMillis(100, 20_000)),
                    dice.Pick(KindsOf(cluster)),
                    (int)dice.Log(1, 21),
                    Any(dice, cluster),
                    Any(dice, cluster)),
            ],
            FaultKind.LastMessage when cluster.Plans.Count > 0 => DrawLastMessage(dice, cluster),
            FaultKind.LateDuplicates =>
                [new LateDuplicates(at, duration, dice.Unit() * 0.5, dice.LogMillis(50, 15_000))],
            FaultKind.Corruption =>
                [new CorruptionBurst(at, duration, Any(dice, cluster), Any(dice, cluster), dice.Unit() * dice.Unit())],
            FaultKind.OneWay => [new LinkCut(at, bounded, node, dice.Between(0, cluster.Nodes))],
            FaultKind.Partial => [DrawPartial(dice, cluster, at, bounded)],
            FaultKind.Islands => [new Islands(at, bounded, DrawIslands(dice, All(cluster)), FromServer: false)],
            FaultKind.ServerIslands => DrawServerIslands(dice, cluster, at, duration),
            FaultKind.Deaf => [new DeafNode(at, bounded, node)],
            FaultKind.Mute => [new MuteNode(at, bounded, node)],
            FaultKind.MulticastOutage => [DrawMulticastOutage(dice, cluster, at, duration)],
            FaultKind.UnicastOutage => [new UnicastOutage(at, bounded)],
            FaultKind.Freeze =>
                [new NodeFreeze(
                    at, cluster.Until(at, dice.LogMillis(1, ShortFreeze(cluster))), node, dice.Chance(0.2))],
            FaultKind.LongFreeze when cluster.MayGo.Length > 0 && cluster.HasDetector
                && cluster.Patience * 3 < cluster.Length =>
                [new NodeFreeze(
                    at / 3, cluster.Patience * (1 + dice.Unit()), dice.Pick(cluster.MayGo), dice.Chance(0.2))],
            FaultKind.Slow => [new SlowNode(at, duration, node, (int)dice.Log(5, 500))],
            FaultKind.Crash when cluster.MayGo.Length > 0 => [new NodeCrash(at, dice.Pick(cluster.MayGo))],
            FaultKind.Restart when cluster.MayGo.Length > 0 =>
                [new NodeRestart(at, cluster.Until(at, dice.LogMillis(5, 15_000)), dice.Pick(cluster.MayGo))],
            FaultKind.PowerLoss when cluster.MayGo.Length > 0 => DrawPowerLoss(dice, cluster, at),
            FaultKind.ChannelOutage =>
                DrawChannel(
                    dice, cluster, (length, which) => new MembershipOutage(at, cluster.Until(at, length), which)),
            FaultKind.ChannelStall =>
                DrawChannel(
                    dice, cluster, (length, which) => new MembershipStall(at, cluster.Until(at, length), which)),
            FaultKind.ServerReplacement => [new ServerReplacement(at)],
            FaultKind.ServerOutage => [new ServerOutage(at, cluster.Until(at, dice.LogMillis(100, 60_000)))],
            FaultKind.Swizzle => DrawSwizzle(dice, cluster, at, bounded),
            FaultKind.KindDelay =>
                [new KindDelay(
                    at,
                    cluster.Until(at, dice.LogMillis(100, 20_000)),
                    dice.Pick(KindsOf(cluster)),
                    dice.LogMillis(0.1, LongestDelay),
                    Any(dice, cluster), Any(dice, cluster))],
            FaultKind.SingleCopies => DrawCopies(dice, cluster, at),
            FaultKind.RackRestart when cluster.MayGo.Length > 0 => HostTrouble.DrawRack(dice, cluster, at),
            FaultKind.SurvivingMinority when cluster.MayGo.Length > 0 => HostTrouble.DrawMinority(dice, cluster, at),
            FaultKind.HostPortCut => HostTrouble.DrawCut(dice, cluster, at),
            _ => [],
        };
    }

    private static double ShortFreeze(GeneratedCluster cluster) =>
        cluster.HasDetector ? cluster.Patience.TotalMilliseconds / 2 : 10_000;

    private static int? Any(Dice dice, GeneratedCluster cluster) =>
        dice.Chance(0.5) ? null : dice.Between(0, cluster.Nodes);

    private static int[] All(GeneratedCluster cluster) => [.. Enumerable.Range(0, cluster.Nodes)];

    private static BurstLoss DrawBursts(Dice dice, TimeSpan at, TimeSpan duration)
    {
        LossScope scope = dice.Pick([LossScope.Link, LossScope.Sender, LossScope.Receiver]);
        return new BurstLoss(
            at, duration, scope, dice.LogMillis(20, 5_000), dice.LogMillis(1, 1_000),
            dice.Chance(0.5) ? 1 : dice.Unit());
    }

    // Unicast is well, so that it may last for ever.
    private static MulticastOutage DrawMulticastOutage(
        Dice dice, GeneratedCluster cluster, TimeSpan at, TimeSpan duration)
    {
        int? node = Any(dice, cluster);
        bool isLong = dice.Chance(0.5);
        TimeSpan longer = dice.Chance(0.2)
            ? Timeout.InfiniteTimeSpan : cluster.Until(at, dice.LogMillis(2_000, 60_000));
        return new MulticastOutage(at, isLong ? longer : duration, node, Any(dice, cluster));
    }

    private static List<Fault> DrawLastMessage(Dice dice, GeneratedCluster cluster)
    {
        SendPlan plan = dice.Pick(cluster.Plans);
        TimeSpan last = plan.Start + ((plan.Count - 1) * plan.Interval);
        return [
            new KindLoss(last, TimeSpan.FromMilliseconds(1), DatagramKind.Data, cluster.Nodes * 4, plan.Node, null)];
    }

    private static PartialPartition DrawPartial(Dice dice, GeneratedCluster cluster, TimeSpan at, TimeSpan duration)
    {
        int[] left = dice.Some(All(cluster), 0.3);
        return new PartialPartition(at, duration, left, dice.Some([.. All(cluster).Except(left)], 0.4));
    }

    private static List<IReadOnlyList<int>> DrawIslands(Dice dice, int[] nodes)
    {
        int islands = dice.Between(1, 5);
        var sets = new List<int>[islands];
        for (int island = 0; island < islands; island++) sets[island] = [];
        foreach (int node in nodes)
        {
            int island = dice.Between(0, islands + 1);
            if (island < islands) sets[island].Add(node);
        }
        return [.. sets.Where(set => set.Count > 0)];
    }

    private static List<Fault> DrawServerIslands(Dice dice, GeneratedCluster cluster, TimeSpan at, TimeSpan duration)
    {
        bool harmless = dice.Chance(0.3) && duration > cluster.Harmless;
        List<IReadOnlyList<int>> sets = DrawIslands(dice, harmless ? All(cluster) : cluster.MayGo);
        return sets.Count == 0 ? [] : [new Islands(at, harmless ? cluster.Harmless : duration, sets, FromServer: true)];
    }

    private static List<Fault> DrawChannel(Dice dice, GeneratedCluster cluster, Func<TimeSpan, int, Fault> make)
    {
        if (cluster.MayGo.Length > 0 && dice.Chance(0.6))
            return [make(dice.LogMillis(1, 12_000), dice.Pick(cluster.MayGo))];
        return [make(dice.LogMillis(1, cluster.Harmless.TotalMilliseconds), dice.Between(0, cluster.Nodes))];
    }

    // The first link is cut the longest: for nearly all of the time there is.
    private static IReadOnlyList<LinkCut> DrawSwizzle(
        Dice dice, GeneratedCluster cluster, TimeSpan at, TimeSpan duration)
    {
        int links = (int)Math.Min(dice.Log(2, 60), cluster.Nodes * (cluster.Nodes - 1));
        return Swizzle.Make(at, duration / (2 * links), cluster.Nodes, links, (ulong)dice.Between(0, int.MaxValue));
    }

    private static CopyFault[] DrawCopies(Dice dice, GeneratedCluster cluster, TimeSpan at)
    {
        bool isLost = dice.Chance(0.5);
        var copies = new CopyFault[dice.Between(1, 9)];
        for (int copy = 0; copy < copies.Length; copy++)
            copies[
                copy] = new CopyFault(
                    at, cluster.Length - at, dice.Log(1, 20_000), isLost ? TimeSpan.Zero : dice.LogMillis(0.1, 2_000));
        return copies;
    }

    private static List<Fault> DrawPowerLoss(Dice dice, GeneratedCluster cluster, TimeSpan at)
    {
        bool returns = dice.Chance(0.7);
        TimeSpan down = cluster.Until(at, dice.LogMillis(50, 10_000));
        int[] nodes = dice.Some(cluster.MayGo, dice.Chance(0.3) ? 1 : 0.6);
        return [.. nodes.Select(node => returns ? new NodeRestart(at, down, node) : (Fault)new NodeCrash(at, node))];
    }

    private static DatagramKind[] KindsOf(GeneratedCluster cluster) =>
        cluster.Bounds.Ordered ? ChosenWithOrdered : cluster.HasTimed ? ChosenWithTimed : Chosen;
}
