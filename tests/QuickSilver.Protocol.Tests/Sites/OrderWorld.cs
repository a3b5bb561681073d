using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>
/// Sites that order messages among each other, in drawn orders of events: what is sent, what a member reads of its
/// site's ring, what a gateway tells, and what arrives. Gateways change, lose what was on its way and tell it again;
/// members join late; a site loses all its members and begins again.
/// </summary>
internal sealed class OrderWorld
{
    private readonly SeededRandom _random;
    private readonly List<Way> _ways = [];
    private readonly HashSet<string> _lostLives = [];
    private ulong _life = 1;
    private int _sent;

    public OrderWorld(ulong seed, int sites, bool safe = false, Func<OrderRecord, OrderRecord>? forges = null)
    {
        _random = new SeededRandom(seed);
        Safe = safe;
        Forges = forges ?? (static record => record);
        Sites = [.. Enumerable.Range(0, sites).Select(index => new Site(index))];
        foreach (Site site in Sites) Begin(site);
    }

    public bool Safe { get; }

    /// <summary>Changes records on their way: a planted defect.</summary>
    public Func<OrderRecord, OrderRecord> Forges { get; }

    public Site[] Sites { get; }

    public List<Member> Members { get; } = [];

    public ulong Forwarded { get; private set; }

    /// <summary>Draws events, with faults or without.</summary>
    public void Run(int steps, int takeovers = 0, int restarts = 0, int joins = 0)
    {
        for (int step = 0; step < steps; step++)
        {
            Site site = Sites[Draw(Sites.Length)];
            if (Draw(steps) < takeovers) TakeOver(site);
            if (Draw(steps) < restarts) Restart(site);
            if (Draw(steps) < joins) Join(site);
            switch (Draw(10))
            {
                case 0 or 1:
                    Send(site);
                    break;
                case 2 or 3 or 4 or 5:
                    site.Members[Draw(site.Members.Count)].Step();
                    break;
                case 6:
                    Tell(site, stamps: Draw(3) == 0);
                    break;
                default:
                    if (_ways.Count > 0) Arrive(_ways[Draw(_ways.Count)]);
                    break;
            }
        }
    }

    /// <summary>Nothing more is sent; all arrives.</summary>
    public void Settle()
    {
        for (int round = 0; round < 40; round++)
        {
            foreach (Site site in Sites)
            {
                foreach (Member member in site.Members)
                {
                    while (member.Step())
                    {
                    }
                }
                if (round % 8 == 0) site.Teller.Again();
                Tell(site, stamps: true);
            }
            foreach (Way way in _ways.ToArray())
            {
                while (Arrive(way))
                {
                }
            }
        }
    }

    /// <summary>All members have delivered in one order; those that live have all; nothing is lost or comes twice.
    /// </summary>
    public void Check()
    {
        var places = new SortedDictionary<ulong, string>();
        foreach (Member member in Members.Where(static one => !one.IsDead))
        {
            foreach ((OrderPlace place, string text) in member.Delivered)
            {
                if (!places.TryAdd(place.ToNumber(), text)) Assert.Equal(places[place.ToNumber()], text);
            }
        }
        string[] all = [.. places.Values];
        Assert.Distinct(all.Where(static text => !text.StartsWith("begins", StringComparison.Ordinal)));
        foreach (Member member in Members)
        {
            string[] got = [.. member.Delivered.Select(static one => one.Text)];
            OrderPlace[] at = [.. member.Delivered.Select(static one => one.Place)];
            Assert.Equal(at.Order(), at);
            bool isRest = member.IsDead || all[^Math.Min(got.Length, all.Length)..].SequenceEqual(got);
            Assert.True(isRest, isRest ? "" : $"a member misses {string.Join(", ", all.Except(got))}; {Describe()}");
            Assert.Equal(0UL, member.Rejected);
        }
        Assert.True(Sites.All(static site => site.Members[0].Delivered.Count > 0), Describe());
        foreach ((string text, ulong after) in Sites.SelectMany(static site => site.Sent))
        {
            ulong place = places.FirstOrDefault(one => one.Value == text).Key;
            if (place == 0) Assert.Contains(LifeOf(text), _lostLives);
            else Assert.True(place > after, $"{text} was sent after {after} and is at {place}");
        }
        IEnumerable<string> sent = all.Where(static text => text.Contains('#'));
        foreach (IGrouping<string, string> sender in sent.GroupBy(LifeAndSender))
        {
            int[] numbers = [.. sender.Select(static text => int.Parse(text[(text.IndexOf('#') + 1)..]))];
            Assert.Equal(numbers.Order(), numbers);
        }
    }

    private string Describe() => string.Join(
        Environment.NewLine,
        Sites.SelectMany(static site => site.Members.Select(member =>
            $"{site.Index}.{member.Number}: {member.Delivered.Count} delivered, at {member.Next} of {site.Ring.Count}, "
            + $"{member.Merge.Waiting.Count} wait for {member.Merge.WaitsFor()}, {member.Merge.Tell()} "
            + string.Join(' ', member.Merge.Tell().Reports))));

    private static string LifeOf(string text) => text[..text.IndexOf('/')];

    private static string LifeAndSender(string text) => text[..text.IndexOf('#')];

    private int Draw(int bound) => (int)_random.NextBelow((ulong)bound);

    private void Begin(Site site)
    {
        site.Life = _life++;
        site.Ring.Clear();
        site.Members.Clear();
        for (int number = 0; number < 2; number++)
        {
            var member = new Member(
                site, new SiteMerge(site.Index, Sites.Length, site.Life) { DeliversSafe = Safe }, 0, number);
            site.Members.Add(member);
            Members.Add(member);
        }
        BeGateway(site, site.Members[0]);
    }

    private void BeGateway(Site site, Member member)
    {
        site.Gateway = member;
        site.Teller = new OrderTeller(member.Merge);
        foreach (Site other in Sites)
        {
            if (other == site) continue;
            var way = new Way(site, other);
            _ways.Add(way);
            site.Ways[other.Index] = way;
        }
    }

    private void TakeOver(Site site)
    {
        // What was on its way is lost from some record on, and what is left may come late.
        foreach (Way way in _ways.Where(one => one.From == site))
        {
            int lost = Draw(way.Records.Count + 1);
            way.Records.RemoveRange(way.Records.Count - lost, lost);
        }
        if (_ways.Count > 40) _ways.RemoveAll(one => one.From == site);
        Member next = site.Members[Draw(site.Members.Count)];
        Give(next, site);
        BeGateway(site, next);
    }

    // What a member that joined late lacks, others have.
    private static void Give(Member to, Site site)
    {
        foreach (Member other in site.Members.Where(one => one.Merge.Own.Kept.Count > 0))
        {
            ulong last = Math.Min(other.Merge.Own.Numbered, to.Merge.Own.Numbered);
            for (ulong number = to.Merge.Own.Kept.Released + 1; number <= last; number++)
            {
                if (other.Merge.Own.Kept.Find(number) is { } entry) to.Merge.Own.Kept.Add(entry);
            }
        }
    }

    private void Restart(Site site)
    {
        TakeOver(site);
        foreach (Member member in site.Members) member.IsDead = true;
        _lostLives.Add($"{site.Life}");
        Begin(site);
        foreach (Site other in Sites) other.Teller.Again();
    }

    private void Join(Site site)
    {
        Member from = site.Members[0];
        var bytes = new byte[from.Merge.StateLength];
        var writer = new WireWriter(bytes);
        from.Merge.Write(ref writer);
        Assert.False(writer.Overflowed);
        var reader = new WireReader(bytes.AsSpan(0, writer.Written));
        SiteMerge? merge = SiteMerge.Read(ref reader, Safe);
        Assert.NotNull(merge);
        Assert.True(reader.IsAtEnd);
        var member = new Member(site, merge, from.Next, site.Members.Count);
        site.Members.Add(member);
        Members.Add(member);
    }

    private void Send(Site site)
    {
        int sender = Draw(site.Members.Count);
        Member member = site.Members[sender];
        string text = $"{site.Life}/{sender}#{++_sent}";
        site.Sent.Add((text, member.Delivered.Count > 0 ? member.Delivered[^1].Place.ToNumber() : 0));
        site.Ring.Add((-1, [], new OrderedContent([], [], 1, System.Text.Encoding.UTF8.GetBytes(text))));
    }

    private void Tell(Site site, bool stamps)
    {
        if (site.Teller.Lacks) Give(site.Gateway, site);
        while (site.Teller.TakeEntry() is { } entry) Post(site, OrderRecord.Of(entry, isOwn: true));
        if (stamps && site.Teller.HasNews) Post(site, site.Teller.TakeStamp());
        if (!stamps) return;
        foreach (OrderedEntry entry in site.Gateway.Merge.ToForward().ToArray())
        {
            Forwarded++;
            Post(site, OrderRecord.Of(entry, isOwn: false));
        }
    }

    private void Post(Site site, OrderRecord record)
    {
        foreach (Way? way in site.Ways.Values) way.Records.Add(Forges(record).ToBytes());
    }

    private static bool Arrive(Way way)
    {
        if (way.Records.Count == 0) return false;
        byte[] bytes = way.Records[0];
        way.Records.RemoveAt(0);
        way.To.Ring.Add((way.From.Index, bytes, null));
        return true;
    }

    internal sealed record Way(Site From, Site To)
    {
        public List<byte[]> Records { get; } = [];
    }

    internal sealed class Site(int index)
    {
        public int Index => index;

        public ulong Life { get; set; }

        public List<(int From, byte[] Record, OrderedContent? Content)> Ring { get; set; } = [];

        public List<Member> Members { get; } = [];

        public List<(string Text, ulong After)> Sent { get; } = [];

        public Member Gateway { get; set; } = null!;

        public OrderTeller Teller { get; set; } = null!;

        public Dictionary<int, Way> Ways { get; } = [];
    }

    internal sealed class Member(Site site, SiteMerge merge, int next, int number)
    {
        public SiteMerge Merge => merge;

        public int Number => number;

        public int Next { get; private set; } = next;

        public bool IsDead { get; set; }

        public ulong Rejected { get; private set; }

        public List<(OrderPlace Place, string Text)> Delivered { get; } = [];

        public bool Step()
        {
            if (Next == site.Ring.Count) return false;
            (int from, byte[] bytes, OrderedContent? content) = site.Ring[Next++];
            if (from < 0)
            {
                merge.OnLocal(content!);
            }
            else
            {
                OrderRecord? record = OrderRecord.Read(bytes);
                if (record is not null && record.HasContent) content = new OrderedContent([], [], 1, record.Body);
                RejectReason reason = record is null
                    ? RejectReason.Malformed : merge.OnRecord(from, record, content);
                if (reason == RejectReason.Malformed) Rejected++;
            }
            while (merge.TryTake(out OrderedEntry? entry))
            {
                string text = entry!.Content is { } message
                    ? System.Text.Encoding.UTF8.GetString(message.Body.Span)
                    : $"begins {entry.Site} {entry.Incarnation}";
                Delivered.Add((entry.Place, text));
            }
            return true;
        }
    }
}
