using System.Globalization;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Testing.Sites;

/// <summary>
/// The promises of sites, held against what is seen at each: one copy (S1), in order where asked for (S2), nothing lost
/// where a way leads (S3), bounded memory (S4), only what was sent and is wanted (S5), and nothing repaired from end to
/// end while no link and no gateway fails (S6). Where members join and leave, nothing is lost that was sent once the
/// sender's site knew of them, and a site without members gets nothing that was sent when that was known (S7).
/// </summary>
internal sealed class SiteChecks
{
    private readonly SiteWorld _world;
    private readonly Dictionary<StreamId, ulong> _sent = [];
    private readonly Dictionary<(int Site, ulong Node, StreamId Stream), Seen> _seen = [];
    private readonly SiteSet[] _known;
    private readonly SiteSet[] _gone;
    private readonly SiteMembers _members;

    public SiteChecks(SiteWorld world)
    {
        _world = world;
        _known = new SiteSet[world.Map.Count];
        _gone = new SiteSet[world.Map.Count];
        _members = new SiteMembers(world);
        foreach (SimulatedSite site in world.Sites)
        {
            site.Delivered = (stream, number, payload) => OnDelivered(site, stream, number, payload);
            site.Lost = (stream, numbers) => OnLost(site, stream, numbers);
            site.Passed = (stream, numbers) => OnPassed(site, stream, numbers);
            site.Changed = topology => OnChanged(site, topology);
        }
    }

    /// <summary>The first promise that was broken.</summary>
    public Violation? Violation { get; private set; }

    /// <summary>Records delivered.</summary>
    public ulong Delivered { get; private set; }

    /// <summary>The payload of a record, by which it is known.</summary>
    public static byte[] PayloadOf(StreamId stream, ulong number, int length)
    {
        var payload = new byte[length];
        ulong mix = Protocol.Core.SeededRandom.Mix(stream.Node + ((ulong)stream.Site << 32) + number * 31);
        for (int index = 0; index < length; index++) payload[index] = (byte)(mix >> (8 * (index % 8)));
        return payload;
    }

    /// <summary>A record is sent.</summary>
    public void OnSent(StreamId stream, ulong number)
    {
        if (number != _sent.GetValueOrDefault(stream) + 1) Fail("S5", $"{stream} sent {number} out of its turn");
        _sent[stream] = number;
        _members.OnSent(stream, number);
    }

    /// <summary>Other groups have members at a site, from now on.</summary>
    public void OnGroups(SimulatedSite site, uint[] groups) => _members.OnGroups(site, groups);

    /// <summary>A gateway is about to die: what it has seen ends with it.</summary>
    public void OnKilled(SimulatedSite site)
    {
        _members.OnKilled(site);
        for (int other = 0; other < _gone.Length; other++)
        {
            if (other != site.Index) _gone[other] = _gone[other].With(site.Index);
        }
        _gone[site.Index] = _world.Map.All;
        _known[site.Index] = default;
    }

    /// <summary>Memory is bounded at each moment.</summary>
    public void CheckMemory(int senders)
    {
        int window = _world.Settings.Window;
        foreach (SimulatedSite site in _world.Sites)
        {
            if (site.Gateway is not { } gateway) continue;
            int streams = _sent.Keys.Count(stream => stream.Site == site.Index && stream.Node == site.Node);
            if (gateway.Kept > streams * window) Fail("S4", $"site {site.Index} keeps {gateway.Kept}");
            if (gateway.Ahead > gateway.Streams * 2 * window)
                Fail("S4", $"site {site.Index} has {gateway.Ahead} ahead in {gateway.Streams} streams");
            for (int peer = 0; peer < _world.Map.Count; peer++)
            {
                if (gateway.LinkTo(peer) is not { } link) continue;
                if (link.Open > _world.Settings.Link.OpenPackets)
                    Fail("S4", $"link {site.Index}-{peer} has {link.Open} open packets");
                if (link.Waiting > 256 + (senders * window * 4))
                    Fail("S4", $"at link {site.Index}-{peer} {link.Waiting} records wait");
            }
        }
    }

    /// <summary>True when every record that was sent is held by all that it is for.</summary>
    public bool IsSettled() => _world.Sites.All(static site => site.Gateway is { Kept: 0 });

    /// <summary>The end of a run whose links work again.</summary>
    public void CheckEnd(bool isCalm)
    {
        foreach (SimulatedSite site in _world.Sites)
        {
            if (site.Gateway is not { } gateway) continue;
            if (gateway.Kept > 0) Fail("S3", $"{gateway.Kept} records of site {site.Index} are held up for ever");
            if (gateway.Topology.TreeOf(site.Index).Sites != _world.Map.All)
                Fail("S3", $"site {site.Index} has no way to all others");
            if (isCalm) CheckCalm(site);
            CheckCompleteness(site);
        }
    }

    private void CheckCalm(SimulatedSite site)
    {
        var counters = site.Gateway!.Counters;
        // What is kept for others is sent to a site that members have joined.
        ulong repaired = _members.HaveChanged ? 0 : counters.Repaired;
        if (repaired + counters.Stranded + counters.Lost > 0)
        {
            Fail("S6", $"site {site.Index} repaired {repaired}, stranded {counters.Stranded}, lost "
                + $"{counters.Lost} though nothing failed");
        }
        for (int peer = 0; peer < _world.Map.Count; peer++)
        {
            if (site.Gateway.LinkTo(peer) is { Counters.Failures: > 0 }) Fail("S6", $"link {site.Index}-{peer} failed");
        }
    }

    private void CheckCompleteness(SimulatedSite sender)
    {
        foreach (uint group in sender.Groups)
        {
            var stream = new StreamId(sender.Index, sender.Node, group);
            if (!_sent.TryGetValue(stream, out ulong last)) continue;
            foreach (SimulatedSite site in _world.Sites)
            {
                if (site == sender || !site.Groups.Contains(group)) continue;
                bool everGone = _gone[sender.Index].Contains(site.Index);
                Seen? seen = _seen.GetValueOrDefault((site.Index, site.Node, stream));
                if (!everGone && _members.FirstMissing(stream, last, site, seen?.Got) is { } number)
                    Fail("S7", $"site {site.Index} lacks {number} of {stream}, sent when its members were known");
                if (_members.HasLeft(site, group)) everGone = true;
                if (everGone && (seen is null || seen.Last < last)) continue;
                if (seen is null)
                    Fail("S3", $"site {site.Index} has nothing of {stream}, which sent {last}");
                else if (seen.Numbers.Count != (int)(last - seen.First + 1) || (!everGone && seen.First != 1))
                    Fail("S3", $"site {site.Index} has {seen.Numbers.Count} of {stream} from {seen.First}, of {last}");
                else if (!everGone && seen.Lost > 0)
                    Fail("S3", $"site {site.Index} was told {seen.Lost} lost of {stream}, though it was never cut off");
            }
        }
    }

    private void OnDelivered(SimulatedSite site, StreamId stream, ulong number, byte[] payload)
    {
        Delivered++;
        Seen seen = SeenBy(site, stream);
        if (!_members.MayGet(site, stream, number))
            Fail("S7", $"site {site.Index} got {number} of {stream}, sent when it was known to have no members");
        seen.Got.Add(number);
        if (number > _sent.GetValueOrDefault(stream) && stream.Site != site.Index)
            Fail("S5", $"site {site.Index} got {number} of {stream}, never sent");
        if (!payload.AsSpan().SequenceEqual(PayloadOf(stream, number, payload.Length)))
            Fail("S5", $"site {site.Index} got {number} of {stream} changed");
        if (!seen.Numbers.Add(number)) Fail("S1", $"site {site.Index} got {number} of {stream} twice");
        if (_world.Settings.InOrder && number <= seen.Last)
            Fail("S2", $"site {site.Index} got {number} of {stream} after {seen.Last}");
        seen.First = Math.Min(seen.First, number);
        seen.Last = Math.Max(seen.Last, number);
    }

    private void OnLost(SimulatedSite site, StreamId stream, SequenceRange numbers)
    {
        Seen seen = SeenBy(site, stream);
        seen.First = Math.Min(seen.First, numbers.Start);
        seen.Lost += numbers.Count;
        for (ulong number = numbers.Start; number < numbers.End; number++)
        {
            if (!seen.Numbers.Add(number))
                Fail("S1", $"site {site.Index} was told {number} of {stream} lost, and had it");
        }
    }

    private void OnPassed(SimulatedSite site, StreamId stream, SequenceRange numbers)
    {
        if (!_members.HasLeft(site, stream.Group))
            Fail("S7", $"site {site.Index} was told {numbers} of {stream} were not for it, though it has members");
        Seen seen = SeenBy(site, stream);
        seen.First = Math.Min(seen.First, numbers.Start);
        for (ulong number = numbers.Start; number < numbers.End; number++)
        {
            if (!seen.Numbers.Add(number))
                Fail("S1", $"site {site.Index} was told {number} of {stream} was not for it, and had it");
        }
    }

    private void OnChanged(SimulatedSite site, Topology topology)
    {
        SiteSet now = topology.TreeOf(site.Index).Sites;
        _gone[site.Index] |= _known[site.Index].Except(now);
        _known[site.Index] |= now;
    }

    private Seen SeenBy(SimulatedSite site, StreamId stream)
    {
        (int, ulong, StreamId) key = (site.Index, site.Node, stream);
        if (!_seen.TryGetValue(key, out Seen? seen)) _seen[key] = seen = new Seen();
        return seen;
    }

    private void Fail(string invariant, string message) =>
        Violation ??= new Violation(
            invariant, string.Create(CultureInfo.InvariantCulture, $"{invariant} at {_world.Now}: {message}"))
        {
            At = new TimeSpan(_world.Now.Ticks),
        };

    private sealed class Seen
    {
        // All that have come, or were told never to come.
        public HashSet<ulong> Numbers { get; } = [];

        public HashSet<ulong> Got { get; } = [];

        public ulong First { get; set; } = ulong.MaxValue;

        public ulong Last { get; set; }

        public ulong Lost { get; set; }
    }
}
