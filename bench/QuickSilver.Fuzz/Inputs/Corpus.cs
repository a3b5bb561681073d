using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;

namespace QuickSilver.Fuzz.Inputs;

/// <summary>
/// Real traffic to damage: what the nodes and membership servers of some simulated clusters said to each other in lives
/// with loss, moves between groups, fragments, packets that are lent, restarts, a replaced server, leaders that die and
/// multicast that does not arrive. Of each kind a bounded number is kept, spread over the lives. Equal seeds give equal
/// corpora.
/// </summary>
internal sealed class Corpus : ITrafficTap
{
    private const int MostOfAKind = 400;
    private const int Lives = 6;
    private const int KeepOneIn = 3;
    private const int SharedBlocks = 8;
    private const string Lateral = "lateral-fast";

    // Nobody else receives there, so what is lost is asked for.
    private const string LateralPair = "lateral-pair";

    private readonly Dictionary<DatagramKind, List<byte[]>> _datagrams = [];
    private readonly Dictionary<FrameKind, List<byte[]>> _frames = [];
    private int _seen;

    private Corpus()
    {
    }

    /// <summary>Collects.</summary>
    public static Corpus Collect(ulong seed)
    {
        var corpus = new Corpus();
        for (ulong life = 0; life < Lives; life++)
            corpus.Live(seed + life, full: (int)((life + 1) * MostOfAKind / Lives));
        return corpus;
    }

    /// <summary>Datagrams of a kind, header included.</summary>
    public byte[][] Datagrams(params DatagramKind[] kinds) => [.. kinds.SelectMany(kind => Of(_datagrams, kind))];

    /// <summary>Datagrams of all kinds.</summary>
    public byte[][] AllDatagrams => [.. _datagrams.OrderBy(pair => pair.Key).SelectMany(pair => pair.Value)];

    /// <summary>Bodies of datagrams of a kind.</summary>
    public byte[][] Bodies(params DatagramKind[] kinds) =>
        [.. Datagrams(kinds).Select(datagram => datagram[DatagramHeader.Length..])];

    /// <summary>Frames of a kind, kind byte included.</summary>
    public byte[][] Frames(params FrameKind[] kinds) => [.. kinds.SelectMany(kind => Of(_frames, kind))];

    /// <summary>Frames of all kinds.</summary>
    public byte[][] AllFrames => [.. _frames.OrderBy(pair => pair.Key).SelectMany(pair => pair.Value)];

    /// <inheritdoc/>
    public void OnDatagram(ReadOnlySpan<byte> datagram)
    {
        if (DatagramHeader.TryRead(datagram, out DatagramHeader header) == RejectReason.None)
            Keep(_datagrams, header.Kind, datagram);
    }

    /// <inheritdoc/>
    public void OnFrame(bool fromServer, ReadOnlySpan<byte> frame) => Keep(_frames, (FrameKind)frame[0], frame);

    /// <inheritdoc/>
    public ReadOnlySpan<byte> Forge(ReadOnlySpan<byte> datagram) => [];

    private int Full { get; set; }

    private void Live(ulong seed, int full)
    {
        Full = full;
        var options = new SimulationOptions
        {
            Nodes = 7,
            Seed = seed,
            Timed = new TimedSettings
            {
                TimeToLive = TimeSpan.FromMilliseconds(300),
                ReplacementWait = TimeSpan.Zero,
            },
            TimedKeys = 3,
            Network = new NetworkModel
            {
                Link = new LinkModel { Loss = 0.08, Reordering = 0.05, Jitter = TimeSpan.FromMicroseconds(200) },
                SharedBlocks = seed % 2 == 0 ? SharedBlocks : 0,
            },
        };
        options = options with { Membership = options.Membership with { Replication = 2 } };
        var cluster = new SimulatedCluster(options) { Tap = this };
        cluster.JoinAll("all", "most");
        cluster.JoinAll(Lateral);
        for (int node = 0; node < 3; node++)
        {
            cluster.Start(
                new SendPlan(node, Lateral, 150, TimeSpan.FromMilliseconds(4)) { MinBytes = 1, MaxBytes = 2500 });
        }
        cluster.JoinAll("timed-world");
        cluster.Start(new SendPlan(1, "timed-world", 300, TimeSpan.FromMilliseconds(3)) { MaxBytes = 3_000 });
        cluster.Start(new SendPlan(2, "timed-world", 300, TimeSpan.FromMilliseconds(3)));
        cluster.JoinAll("ordered-state");
        cluster.Start(new SendPlan(1, "ordered-state", 200, TimeSpan.FromMilliseconds(4)) { MaxBytes = 3_000 });
        cluster.Start(new SendPlan(2, "ordered-state", 200, TimeSpan.FromMilliseconds(5)));
        cluster.JoinAll("ordered-audit");
        cluster.Start(new SendPlan(1, "ordered-state", 100, TimeSpan.FromMilliseconds(6))
        {
            MaxBytes = 2_000,
            Also = ["ordered-audit"],
        });
        for (int node = 0; node < 3; node++)
        {
            cluster.Start(
                new SendPlan(
                    node, "all", 300, TimeSpan.FromMilliseconds(2))
                {
                    MinBytes = 1,
                    MaxBytes = node == 2 ? 5000 : 300
                });
            cluster.Start(new SendPlan(node, "most", 100, TimeSpan.FromMilliseconds(5)) { MaxBytes = 900 });
        }
        for (int node = 0; node < 4; node++)
        {
            int mover = node;
            cluster.After(
                TimeSpan.FromMilliseconds(100 + (node * 70)),
                () => cluster.Nodes[mover].Join($"own {mover}", $"pair {mover / 2}", "b", "d", "e"));
            cluster.After(TimeSpan.FromMilliseconds(400 + (node * 50)), () => LeaveIfThere(cluster, mover));
        }
        cluster.Start(
            new SendPlan(1, "all", 600, TimeSpan.FromMilliseconds(10)) { Start = TimeSpan.FromMilliseconds(1200) });
        // Late: until then all nodes are in one region, whose tokens name all of them.
        for (int node = 0; node < 2; node++)
        {
            int one = node;
            cluster.After(TimeSpan.FromSeconds(9), () => cluster.Nodes[one].Join(LateralPair));
        }
        cluster.Start(
            new SendPlan(0, LateralPair, 150, TimeSpan.FromMilliseconds(4))
            {
                Start = TimeSpan.FromSeconds(10),
                MaxBytes = 900,
            });
        cluster.Inject(new MulticastOutage(TimeSpan.FromMilliseconds(1200), TimeSpan.FromSeconds(5), 5));
        cluster.Inject(new LengthLimit(TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(2), null, 1, 1_300));
        cluster.Inject(new ServerReplacement(TimeSpan.FromMilliseconds(900)));
        cluster.Inject(new NodeCrash(TimeSpan.FromMilliseconds(1100), 6));
        cluster.RunFor(TimeSpan.FromSeconds(16));
        cluster.Shutdown();
    }

    private static void LeaveIfThere(SimulatedCluster cluster, int node)
    {
        if (cluster.Nodes[node].FindGroup("most") is not null) cluster.Nodes[node].Leave("most");
    }

    private static List<byte[]> Of<TKind>(Dictionary<TKind, List<byte[]>> of, TKind kind)
        where TKind : struct =>
            of.GetValueOrDefault(kind) ?? throw new InvalidOperationException($"the collected traffic has no {kind}");

    private void Keep<TKind>(Dictionary<TKind, List<byte[]>> of, TKind kind, ReadOnlySpan<byte> bytes)
        where TKind : struct
    {
        if (!of.TryGetValue(kind, out List<byte[]>? kept)) of.Add(kind, kept = []);
        // Rare kinds are all kept; of the others, some from all parts of a life.
        bool isRare = kept.Count < MostOfAKind / 20;
        if (isRare || (kept.Count < Full && ++_seen % KeepOneIn == 0)) kept.Add(bytes.ToArray());
    }
}
