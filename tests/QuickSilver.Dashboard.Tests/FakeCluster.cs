using System.Globalization;
using System.Net;
using System.Runtime.CompilerServices;
using System.Threading.Channels;
using QuickSilver.Dashboard.Sources;

namespace QuickSilver.Dashboard.Tests;

/// <summary>A cluster that is made up: so many nodes with so many groups each, no group in two nodes. A test says when
/// the next snapshot comes.</summary>
/// <param name="nodes">Number of nodes.</param>
/// <param name="groups">Number of groups of each.</param>
internal sealed class FakeCluster(int nodes, int groups) : IClusterSource
{
    private readonly Lock _lock = new();
    private Channel<ClusterSnapshot>? _open;
    private int _opened;
    private long _tick;

    /// <summary>Changes each node before it is shown.</summary>
    public Func<NodeReport, NodeReport> Change { get; set; } = static report => report;

    /// <summary>Changes each snapshot before it is shown.</summary>
    public Func<ClusterSnapshot, ClusterSnapshot> ChangeAll { get; set; } = static snapshot => snapshot;

    /// <summary>Thrown by the next watch; null for none.</summary>
    public Exception? Failure { get; set; }

    /// <summary>How often the cluster has been watched.</summary>
    public int Opened => Volatile.Read(ref _opened);

    /// <summary>Whether it is watched now.</summary>
    public bool IsOpen
    {
        get
        {
            lock (_lock) return _open is not null;
        }
    }

    /// <summary>Name of a node.</summary>
    public static string NodeName(int node) => string.Create(CultureInfo.InvariantCulture, $"node-{node:000}");

    /// <summary>Name of a group.</summary>
    public static string GroupName(int node, int group) =>
        string.Create(CultureInfo.InvariantCulture, $"group-{node:000}-{group:00}");

    /// <summary>Id of a node.</summary>
    public static MemberId NodeId(int node) =>
        new(new IPEndPoint(new IPAddress([10, 0, (byte)(node / 250), (byte)(1 + (node % 250))]), 15_001), 7);

    /// <summary>Shows the next snapshot, if somebody watches.</summary>
    public void Tick()
    {
        lock (_lock)
        {
            _tick++;
            _open?.Writer.TryWrite(Make());
        }
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<ClusterSnapshot> ReadAllAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var own = Channel.CreateBounded<ClusterSnapshot>(
            new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropOldest });
        lock (_lock)
        {
            Assert.Null(_open);
            _opened++;
            if (Failure is { } failure) throw failure;
            _open = own;
            own.Writer.TryWrite(Make());
        }
        try
        {
            await foreach (ClusterSnapshot snapshot in own.Reader.ReadAllAsync(cancellationToken))
                yield return snapshot;
        }
        finally
        {
            lock (_lock) _open = null;
        }
    }

    private ClusterSnapshot Make()
    {
        DateTimeOffset time = DateTimeOffset.UnixEpoch.AddDays(20_000).AddSeconds(_tick);
        return ChangeAll(new ClusterSnapshot
        {
            Time = time,
            Cluster = "made up",
            Nodes = [.. Enumerable.Range(0, nodes).Select(node => Change(ReportOf(node, time)))],
        });
    }

    private NodeReport ReportOf(int node, DateTimeOffset time) => new()
    {
        Age = TimeSpan.FromSeconds(0.2),
        Rates = new NodeRates
        {
            MessagesSent = 10 * node,
            MessagesReceived = 1000 + node,
            BytesSent = 1000 * node,
            BytesReceived = 200_000,
            PacketsMissed = node % 7,
            RepairsFromPeers = node % 5,
            RepairsFromSenders = node % 3,
        },
        Snapshot = new NodeSnapshot
        {
            Member = new Member(NodeId(node), NodeName(node)),
            Number = _tick + 1,
            Version = "0.2.0",
            LoopUse = node % 100 / 100.0,
            TokenRoundTrip = TimeSpan.FromMilliseconds(1 + (node % 9)),
            Statistics = new NodeStatistics
            {
                Time = time,
                Uptime = TimeSpan.FromSeconds(100 + _tick),
                State = NodeState.Running,
                Groups = groups,
                Regions = 2,
                MessagesSent = 10 * node * (100 + _tick),
                RepairsFromPeers = node % 5 * (100 + _tick),
                RateLimit = 1000,
                RateActual = node,
                PendingBytes = node * 100,
            },
            Groups = [.. Enumerable.Range(0, groups).Select(group => GroupOf(node, group))],
            Regions =
            [
                RegionOf(1, members: nodes), RegionOf((ulong)(10 + (node / 4)), members: 4),
            ],
            Views =
            [
                new ViewChangeReport { Time = time, Number = 3, GroupCount = 2, Joined = [NodeName(node)] },
            ],
        },
    };

    private GroupStatistics GroupOf(int node, int group) => new()
    {
        Name = GroupName(node, group),
        Members = 3,
        Regions = 1,
        MessagesReceived = (100 + _tick) * group,
        BytesReceived = (100 + _tick) * ((100 * node) + group),
        InboxBytes = group,
    };

    private static RegionReport RegionOf(ulong number, int members) => new()
    {
        Number = number,
        View = 2,
        IsMember = true,
        MemberCount = members,
        GroupCount = 5,
        Rate = 10,
        RateLimit = 100,
    };
}
