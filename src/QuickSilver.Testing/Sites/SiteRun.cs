using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Sites;

/// <summary>
/// A random overlay of two to eight sites: each sends to its groups while links lose, delay and double datagrams, and
/// strangers send. In half of the runs nothing fails; in the others links are cut and gateways restart. In half of
/// either members join and leave. In a quarter half of the links are connections, which keep order and lose nothing. In
/// half of them some ends send parity.
/// </summary>
internal sealed class SiteRun
{
    /// <summary>Groups of a run, at most: 1 and up.</summary>
    public const int MostGroups = 3;

    private static readonly TimeSpan WarmUp = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Settles = TimeSpan.FromSeconds(60);

    private readonly SimulationRandom _random;
    private readonly SiteWorld _world;
    private readonly SiteChecks _checks;
    private readonly bool _isCalm;
    private readonly TimeSpan _length;
    private readonly List<(int First, int Second)> _links = [];
    private bool _isOver;
    private readonly uint _groups;
    private ulong _draws;
    private ulong _memberDraws;
    private ulong _streamDraws;
    private ulong _parityDraws;

    private SiteRun(ulong seed)
    {
        _random = new SimulationRandom(seed);
        _isCalm = Draw(2) == 0;
        _length = TimeSpan.FromSeconds(5 + Draw(10));
        int count = 2 + Draw(7);
        _groups = 1 + (uint)Draw(MostGroups);
        string[] names = [.. Enumerable.Range(0, count).Select(static site => $"site-{(char)('a' + site)}")];
        var settings = new GatewaySettings
        {
            InOrder = Draw(2) == 0,
            // Seven links may take longer than two seconds there and back.
            RepairAfter = TimeSpan.FromSeconds(5),
            // Of its own place, so that the other draws of a seed stay.
            HoldTime = TimeSpan.FromSeconds(5 * _random.DrawBetween(0, 3, RandomStream.Workload, 1, 0, 0)),
            Window = 1 << (5 + Draw(4)),
            Parities = DrawParities(count),
            Link = new LinkSettings
            {
                OpenPackets = 1 << ((_isCalm ? 10 : 7) + Draw(4)),
                ReceiveWindow = 1 << ((_isCalm ? 10 : 7) + Draw(4)),
            },
        };
        _world = new SiteWorld(
            seed, new SiteMap(names, DrawLinks(names)), settings, _ => DrawGroups(_groups), (_, _) => DrawWay());
        _checks = new SiteChecks(_world);
    }

    /// <summary>Executes the run of a seed.</summary>
    /// <returns>The promise that was broken; null when none was.</returns>
    public static Violation? Execute(ulong seed) => new SiteRun(seed).Execute();

    private Violation? Execute()
    {
        foreach (SimulatedSite site in _world.Sites) _world.At(TimeSpan.FromMilliseconds(Draw(500)), site.Start);
        _world.RunFor(WarmUp);
        // Where much is lost, links take longer to come up.
        _world.RunUntil(IsConnected, Settles);
        int senders = 0;
        foreach (SimulatedSite site in _world.Sites)
        {
            foreach (uint group in site.Groups)
            {
                senders++;
                // Nothing stands in a calm run: it has less to send than its links take.
                int pause = _isCalm ? 60 : 2;
                Send(site, group, TimeSpan.FromMilliseconds(pause + Draw(100)), 20 + Draw(1000));
            }
        }
        Strange();
        if (!_isCalm) Disturb();
        if (DrawOfMembers(2) == 0) MoveMembers();
        Watch(senders);
        _world.RunFor(_length);
        _isOver = true;
        Settle();
        // A site that was cut off learns from the next record what it will never get.
        foreach (SimulatedSite site in _world.Sites)
        {
            foreach (uint group in site.Groups) SendOne(site, group, 1);
        }
        Settle();
        _checks.CheckEnd(_isCalm);
        return _checks.Violation;
    }

    private bool IsSettled() => _checks.IsSettled() && IsConnected();

    private bool IsConnected() => _world.Sites.All(
        site => site.Gateway!.Topology.TreeOf(site.Index).Sites == _world.Map.All);

    private void Send(SimulatedSite site, uint group, TimeSpan interval, int length)
    {
        if (_isOver) return;
        SendOne(site, group, length);
        _world.At(interval * (0.5 + Unit()), () => Send(site, group, interval, length));
    }

    private void SendOne(SimulatedSite site, uint group, int length)
    {
        if (site.Gateway is not { } gateway || !gateway.HasRoom(group)) return;
        var stream = new StreamId(site.Index, site.Node, group);
        ulong number = NextOf(stream);
        _checks.OnSent(stream, number);
        site.Send(group, SiteChecks.PayloadOf(stream, number, length));
    }

    private void Settle()
    {
        _world.RunUntil(() => _checks.Violation is not null || IsSettled(), Settles);
        // What is told of it takes its way, too.
        _world.RunFor(TimeSpan.FromSeconds(1));
    }

    private readonly Dictionary<StreamId, ulong> _numbers = [];

    private ulong NextOf(StreamId stream) => _numbers[stream] = _numbers.GetValueOrDefault(stream) + 1;

    // A stranger knows the format, and no epoch.
    private void Strange()
    {
        if (_isOver) return;
        (int first, int second) = _links[Draw(_links.Count)];
        var bytes = new byte[200];
        var writer = new WireWriter(bytes);
        var kind = (LinkKind)(1 + Draw(4));
        new LinkHeader(kind, (ulong)(1 + Draw(1000)), (ulong)(1 + Draw(1000))).Write(ref writer);
        if (kind == LinkKind.Hello)
            new HelloBody(_world.Map.Hash, first, 99, 64, 1, 0, default).Write(ref writer);
        else
            new LinkFeedback { Cumulative = (ulong)Draw(50), Highest = 50, Time = _length }.Write(ref writer, []);
        if (kind is LinkKind.Linger or LinkKind.Data) writer.WriteVarint((ulong)(1 + Draw(100)));
        if (kind == LinkKind.Data) writer.WriteByte(1);
        _world.Events.Schedule(_world.Now, _world.Sites[second], bytes[..writer.Written], first);
        _world.At(TimeSpan.FromMilliseconds(50 + Draw(500)), Strange);
    }

    private void Disturb()
    {
        int faults = 1 + Draw(5);
        for (int fault = 0; fault < faults; fault++)
        {
            TimeSpan at = _length * (0.8 * Unit());
            TimeSpan lasts = TimeSpan.FromMilliseconds(200 + Draw(5000));
            if (Draw(3) == 0) _world.At(at, () => Restart(_world.Sites[Draw(_world.Sites.Count)], lasts));
            else _world.At(at, () => Cut(_links[Draw(_links.Count)], lasts));
        }
    }

    private void Cut((int First, int Second) link, TimeSpan lasts)
    {
        int which = Draw(4);
        if (which != 0) _world.Cut(link.First, link.Second, isCut: true);
        if (which != 1) _world.Cut(link.Second, link.First, isCut: true);
        _world.At(lasts, () =>
        {
            _world.Cut(link.First, link.Second, isCut: false);
            _world.Cut(link.Second, link.First, isCut: false);
        });
    }

    // Members join and leave. Sites that nobody sends from send nothing all the same.
    private void MoveMembers()
    {
        int moves = 1 + DrawOfMembers(12);
        for (int move = 0; move < moves; move++)
        {
            SimulatedSite site = _world.Sites[DrawOfMembers(_world.Sites.Count)];
            uint group = 1 + (uint)DrawOfMembers((int)_groups);
            TimeSpan at = _length * (DrawOfMembers(100) / 100.0);
            TimeSpan lasts = TimeSpan.FromMilliseconds(1 + DrawOfMembers(DrawOfMembers(2) == 0 ? 200 : 8000));
            _world.At(at, () => Toggle(site, group));
            _world.At(at + lasts, () => Toggle(site, group));
        }
    }

    private void Toggle(SimulatedSite site, uint group)
    {
        uint[] groups = [.. site.Groups.Contains(group)
            ? site.Groups.Where(one => one != group) : site.Groups.Append(group).Order()];
        _checks.OnGroups(site, groups);
        site.SetGroups(groups);
    }

    private void Restart(SimulatedSite site, TimeSpan lasts)
    {
        if (site.Gateway is null) return;
        _checks.OnKilled(site);
        site.Kill();
        _world.BreakAll(site.Index);
        _world.At(lasts, site.Start);
    }

    private void Watch(int senders)
    {
        _checks.CheckMemory(senders);
        if (!_isOver) _world.At(Tick, () => Watch(senders));
    }

    private List<SiteLink> DrawLinks(string[] names)
    {
        var links = new List<SiteLink>();
        bool hasStreams = DrawOfStreams(4) == 0;
        for (int second = 1; second < names.Length; second++) Add(Draw(second), second);
        int more = Draw(names.Length);
        for (int index = 0; index < more; index++)
        {
            int first = Draw(names.Length), second = Draw(names.Length);
            if (first != second) Add(Math.Min(first, second), Math.Max(first, second));
        }
        return links;

        void Add(int first, int second)
        {
            if (_links.Contains((first, second))) return;
            _links.Add((first, second));
            uint cost = Draw(2) == 0 ? 0 : (uint)(1000 + Draw(100_000));
            links.Add(new SiteLink(names[first], names[second], cost, hasStreams && DrawOfStreams(2) == 0));
        }
    }

    private uint[] DrawGroups(uint groups)
    {
        var drawn = new List<uint>();
        for (uint group = 1; group <= groups; group++)
        {
            if (Draw(4) > 0) drawn.Add(group);
        }
        return [.. drawn];
    }

    // By the site at the other end, so that the ends of a link differ.
    private int[]? DrawParities(int count)
    {
        if (DrawOfParities(2) == 0) return null;
        return [.. Enumerable.Range(0, count).Select(
            _ => DrawOfParities(3) == 0 ? 0 : DrawOfParities(4) == 0 ? 2 + DrawOfParities(63) : 2 + DrawOfParities(8))];
    }

    private WayModel DrawWay() => new()
    {
        Delay = TimeSpan.FromMilliseconds(1 + Draw(100)),
        Jitter = TimeSpan.FromMilliseconds(Draw(3) == 0 ? Draw(40) : 0),
        Loss = Draw(3) == 0 ? 0 : Draw(_isCalm ? 10 : 20) / 100.0,
        Duplicates = Draw(3) == 0 ? 0.05 : 0,
        BurstEvery = Draw(4) == 0 ? TimeSpan.FromSeconds(2 + Draw(4)) : default,
        BurstLength = TimeSpan.FromMilliseconds(20 + Draw(200)),
        Rate = (_isCalm ? 1_000_000 : 250_000) + Draw(3_000_000),
    };

    // Of its own place, so that the other draws of a seed stay.
    private int DrawOfMembers(int bound) =>
        _random.DrawBetween(0, bound, RandomStream.Workload, 2, 0, _memberDraws++);

    // The same.
    private int DrawOfStreams(int bound) =>
        _random.DrawBetween(0, bound, RandomStream.Workload, 3, 0, _streamDraws++);

    // The same.
    private int DrawOfParities(int bound) =>
        _random.DrawBetween(0, bound, RandomStream.Workload, 4, 0, _parityDraws++);

    private int Draw(int bound) => _random.DrawBetween(0, bound, RandomStream.Workload, 0, 0, _draws++);

    private double Unit() => _random.DrawUnit(RandomStream.Workload, 0, 0, _draws++);
}
