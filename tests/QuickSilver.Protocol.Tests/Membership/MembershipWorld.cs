using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>
/// A server and its nodes in one process, with links that deliver in order after a drawn delay, and virtual time.
/// Checks V1 to V4 whenever a node installs a step.
/// </summary>
internal sealed class MembershipWorld : IServerLinks
{
    private readonly PriorityQueue<Action, (Instant Due, ulong Order)> _network = new();
    private readonly Dictionary<long, WorldNode> _connections = [];
    private readonly Dictionary<long, Instant> _lastToServer = [];
    private readonly Dictionary<long, Instant> _lastToNode = [];
    private readonly Dictionary<ViewNumber, string> _views = [];
    private readonly Dictionary<(GroupId, StepNumber), string> _groupViews = [];
    private readonly MembershipServerSettings _settings;
    private readonly Dictionary<long, Intruder> _intruders = [];
    private ulong _order;
    private long _lastConnection;

    public MembershipWorld(ulong seed = 1, MembershipServerSettings? settings = null)
    {
        Random = new SeededRandom(seed);
        _settings = settings ?? new MembershipServerSettings();
        Server = new MembershipServer(_settings, Alarms, new SeededRandom(seed + 1), this);
    }

    public AlarmQueue Alarms { get; } = new();

    public SeededRandom Random { get; }

    public MembershipServer Server { get; private set; }

    public List<WorldNode> Nodes { get; } = [];

    public Instant Now { get; private set; } = new(TimeSpan.TicksPerSecond);

    /// <summary>Longest delay of a frame.</summary>
    public TimeSpan MaxDelay { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>Nodes whose views are checked at every step; worlds that are too large for all of them take a
    /// sample.</summary>
    public Predicate<WorldNode> IsChecked { get; set; } = _ => true;

    /// <summary>Most groups of a node that are checked at every step, beside those that changed.</summary>
    public int MaxGroupsChecked { get; set; } = 100;

    /// <summary>Called for every frame that goes to a node; may replace it.</summary>
    public Func<WorldNode, byte[], byte[]>? OnFrameToNode { get; set; }

    /// <summary>Called for every frame that goes to the server; may replace it.</summary>
    public Func<WorldNode, byte[], byte[]>? OnFrameToServer { get; set; }

    /// <summary>Whether a node's connections speak for an address.</summary>
    public Func<WorldNode, NetEndpoint, bool> SpeaksFor { get; set; } = static (_, _) => true;

    /// <summary>The identity that a node's certificate proves.</summary>
    public Func<WorldNode, string> IdentityOf { get; set; } = static _ => "";

    /// <summary>True while a peer has connected and says nothing.</summary>
    public bool HasStrangers { get; set; }

    public List<MembershipRefusal> Closed { get; } = [];

    public WorldNode Add(string name, bool multicast = true, ulong incarnation = 1, ushort? port = null)
    {
        ushort control = port ?? (ushort)(1000 + Nodes.Count);
        var settings = new AgentSettings(
            "default",
            name,
            incarnation,
            new NetEndpoint(0x0A000001, control),
            new NetEndpoint(0x0A000001, (ushort)(control + 20_000)),
            1 << 20,
            multicast,
            TimeSpan.FromSeconds(1));
        return Add(settings);
    }

    public WorldNode Add(AgentSettings settings)
    {
        var node = new WorldNode(this, settings);
        Nodes.Add(node);
        Connect(node);
        return node;
    }

    /// <summary>Adds nodes that have registered when the call returns, in the order of their numbers.</summary>
    public WorldNode[] AddMany(int count)
    {
        var nodes = new List<WorldNode>();
        TimeSpan delay = MaxDelay;
        MaxDelay = TimeSpan.Zero;
        for (int index = 0; index < count; index++) nodes.Add(Add($"n{index}"));
        Run(TimeSpan.Zero);
        MaxDelay = delay;
        return [.. nodes];
    }

    public void Connect(WorldNode node)
    {
        long connection = ++_lastConnection;
        node.Connection = connection;
        _connections[connection] = node;
        Server.OnConnected(connection, Now);
        node.Agent.OnConnected();
    }

    /// <summary>Somebody who is no node.</summary>
    public Intruder Intrude() => new(this);

    /// <summary>Opens a connection for somebody who is no node.</summary>
    public long OpenFor(Intruder intruder)
    {
        _intruders[++_lastConnection] = intruder;
        Server.OnConnected(_lastConnection, Now);
        return _lastConnection;
    }

    /// <summary>Breaks a connection: frames on their way are lost, both ends hear of it.</summary>
    public void Break(WorldNode node, bool isEnded = true)
    {
        if (node.Connection is not { } connection) return;
        node.Connection = null;
        _connections.Remove(connection);
        Server.OnDisconnected(connection, Now, isEnded);
        node.Agent.OnDisconnected(Now);
    }

    /// <summary>The server dies with all its connections; an empty one takes its place, and nobody is connected to
    /// it.</summary>
    /// <param name="term">The term of an elected server; 0 for one that nobody elects.</param>
    public void ReplaceServer(uint term = 0)
    {
        Server.Stop();
        foreach (WorldNode node in Nodes)
        {
            if (node.Connection is not { } connection) continue;
            node.Connection = null;
            _connections.Remove(connection);
            node.Agent.OnDisconnected(Now);
        }
        MembershipServerSettings settings =
            term == 0 ? _settings : _settings with { FirstTerm = term, IsElected = true };
        Server = new MembershipServer(settings, Alarms, new SeededRandom(Random.NextUInt64()), this);
    }

    public void Send(long connection, ReadOnlySpan<byte> frame)
    {
        Assert.True(frame.Length <= MembershipFrames.MaxFrameBytes, "a frame is too long");
        if (_intruders.TryGetValue(connection, out Intruder? intruder)) intruder.OnFrame(frame.ToArray());
        if (!_connections.TryGetValue(connection, out WorldNode? node)) return;
        byte[] copy = frame.ToArray();
        if (OnFrameToNode is not null) copy = OnFrameToNode(node, copy);
        node.BytesReceived += copy.Length;
        Deliver(_lastToNode, connection, () =>
        {
            if (node.Connection == connection) node.Agent.OnFrame(copy, Now);
        });
    }

    public bool MayName(long connection, NetEndpoint endpoint) =>
        !_connections.TryGetValue(connection, out WorldNode? node) || SpeaksFor(node, endpoint);

    string IServerLinks.IdentityOf(long connection) =>
        _connections.TryGetValue(connection, out WorldNode? node) ? IdentityOf(node) : "";

    public void Close(long connection, MembershipRefusal reason)
    {
        Closed.Add(reason);
        Deliver(_lastToNode, connection, () =>
        {
            if (!_connections.Remove(connection, out WorldNode? node) || node.Connection != connection) return;
            node.Connection = null;
            node.Agent.OnDisconnected(Now);
        });
    }

    public void SendToServer(WorldNode node, ReadOnlySpan<byte> frame)
    {
        if (node.Connection is not { } connection) return;
        byte[] copy = frame.ToArray();
        if (OnFrameToServer is not null) copy = OnFrameToServer(node, copy);
        Deliver(_lastToServer, connection, () =>
        {
            if (_connections.ContainsKey(connection)) Server.OnFrame(connection, copy, Now);
        });
    }

    /// <summary>Runs an action after a delay, as if it came over no particular link.</summary>
    public void After(TimeSpan delay, Action action) => _network.Enqueue(action, (Now + delay, ++_order));

    public void Run(TimeSpan duration)
    {
        Instant end = Now + duration;
        while (true)
        {
            Instant network = _network.TryPeek(out _, out (Instant Due, ulong Order) first) ? first.Due : Instant.Never;
            Instant alarm = Alarms.NextDue;
            Instant next = network < alarm ? network : alarm;
            if (next > end) break;
            if (next > Now) Now = next;
            if (network <= alarm) _network.Dequeue()();
            else Alarms.FireNext(Now);
        }
        Now = end;
    }

    /// <summary>Time passes and nothing happens: the process that runs this world stands still.</summary>
    public void Freeze(TimeSpan duration) => Now += duration;

    public void CheckInstalled(WorldNode node, InstalledStep step)
    {
        ClusterView cluster = node.Agent.Cluster;
        if (!IsChecked(node)) return;
        foreach (RegionView view in step.Opened)
        {
            string description = Describe(view);
            if (!_views.TryAdd(view.Number, description)) Assert.Equal(_views[view.Number], description);
        }
        if (step.Own is { } own)
            Assert.True(own.IndexOf(cluster.Self!.Number.Key) >= 0, $"V2: {node.Name} is not in {own}");
        IEnumerable<GroupInfo> groups = step.Changed.Take(MaxGroupsChecked)
            .Concat(node.Groups.Values.Take(MaxGroupsChecked))
            .DistinctBy(group => group.Id);
        foreach (GroupInfo group in groups) CheckGroup(node, group);
    }

    /// <summary>True when a node has installed a view.</summary>
    public bool HasKnown(NodeInfo node, RegionView view) =>
        Nodes.Exists(other => other.Agent.Cluster.Self?.Number == node.Number && other.HasKnown(view));

    /// <summary>Every node that lives knows exactly the members of its groups, and all agree on the numbers of their
    /// views.</summary>
    public void CheckQuiet()
    {
        WorldNode[] live = [.. Nodes.Where(node => node.IsLive)];
        foreach (WorldNode node in live)
        {
            Assert.True(
                node.Wanted.SetEquals(node.Groups.Keys),
                $"{node.Name} is in {node.Groups.Count} groups, not in {node.Wanted.Count}");
            foreach (GroupInfo group in node.Groups.Values)
            {
                IEnumerable<string> members = node.Agent.Cluster.ViewsOf(group.Id)
                    .SelectMany(view => view.MembersOf(group.Id))
                    .Select(member => member.Name);
                IEnumerable<string> expected = live.Where(other => other.Wanted.Contains(group.Name))
                    .Select(other => other.Name);
                Assert.Equal(expected.Order(StringComparer.Ordinal), members.Order(StringComparer.Ordinal));
                foreach (WorldNode other in live.Where(other => other.Wanted.Contains(group.Name)))
                {
                    StepNumber own = node.Agent.Cluster.GroupViewOf(group.Id),
                        others = other.Agent.Cluster.GroupViewOf(group.Id);
                    Assert.True(own == others, $"{group.Name} at {node.Name}: {own}, at {other.Name}: {others}");
                }
            }
        }
    }

    private static string Describe(RegionView view) =>
        $"{view.Region.Id} [{string.Join(',', view.Region.Groups)}] from {view.FirstStep} {view.Multicast} "
        + $"r{view.Partitions.Replication} "
        + string.Join(
            ' ',
            view.Members.Select(
                (member, index) => $"{member.Number}:{member.Name}:{member.Incarnation}:{member.Control}:{member.Data}"
                    + (view.IsMerged ? $"[{string.Join(',', view.GroupsOf(index))}]" : "")));

    private void CheckGroup(WorldNode node, GroupInfo group)
    {
        ClusterView cluster = node.Agent.Cluster;
        IReadOnlyList<RegionView> views = cluster.ViewsOf(group.Id);
        var members = new SortedSet<NodeNumber>();
        foreach (RegionView view in views)
        {
            foreach (NodeInfo member in view.MembersOf(group.Id))
            {
                Assert.True(
                    members.Add(member.Number), $"V4: {member} is in two regions of {group.Name} at {node.Name}");
            }
        }
        if (cluster.Layout.IsMember(group.Id)) Assert.Contains(cluster.Self!.Number, members);
        (GroupId, StepNumber) key = (group.Id, cluster.GroupViewOf(group.Id));
        string all = string.Join(' ', members);
        if (!_groupViews.TryAdd(key, all)) Assert.Equal(_groupViews[key], all);
    }

    private void Deliver(Dictionary<long, Instant> last, long connection, Action action)
    {
        Instant due = Now + Random.NextBelow(MaxDelay);
        if (last.TryGetValue(connection, out Instant before) && before > due) due = before;
        last[connection] = due;
        _network.Enqueue(action, (due, ++_order));
    }
}
