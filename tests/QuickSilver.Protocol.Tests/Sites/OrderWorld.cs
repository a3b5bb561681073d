using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>
/// Sites that order messages among each other, in drawn orders of events: what is sent, what a member reads of its
/// site's ring, what a gateway tells, and what arrives. Gateways change, lose what was on its way and tell it again;
/// members join late; a site loses all its members and begins again. Ways are cut and healed, also in one direction,
/// and gateways learn of it late.
/// </summary>
internal sealed partial class OrderWorld
{
    private readonly SeededRandom _random;
    private readonly List<Way> _ways = [];
    private readonly HashSet<string> _lostLives = [];
    private readonly bool[,] _isCut;
    private ulong _life = 1;
    private int _sent;

    public OrderWorld(
        ulong seed, int sites, bool safe = false, Func<OrderRecord, OrderRecord>? forges = null,
        CutPolicy policy = CutPolicy.Wait)
    {
        _random = new SeededRandom(seed);
        (Safe, Policy) = (safe, policy);
        _isCut = new bool[sites, sites];
        Forges = forges ?? (static record => record);
        Sites = [.. Enumerable.Range(0, sites).Select(index => new Site(index))];
        foreach (Site site in Sites) Begin(site);
    }


    public bool Safe { get; }

    public CutPolicy Policy { get; }

    /// <summary>Changes records on their way: a planted defect.</summary>
    public Func<OrderRecord, OrderRecord> Forges { get; }

    public Site[] Sites { get; }

    public List<Member> Members { get; } = [];

    public ulong Forwarded { get; private set; }

    /// <summary>Number of the last message that was sent.</summary>
    public int Sent => _sent;

    /// <summary>Draws events, with faults or without.</summary>
    public void Run(int steps, int takeovers = 0, int restarts = 0, int joins = 0, int cuts = 0)
    {
        for (int step = 0; step < steps; step++)
        {
            Site site = Sites[Draw(Sites.Length)];
            if (Draw(steps) < takeovers) TakeOver(site);
            if (Draw(steps) < restarts) Restart(site);
            if (Draw(steps) < joins) Join(site);
            if (Draw(steps) < cuts) DrawCut();
            if (cuts > 0 && Draw(30) == 0) Look(site);
            if (Draw(200) == 0) site.Ring.Add(static member => member.Merge.OnStands());
            switch (Draw(12))
            {
                case 0:
                    Send(site);
                    break;
                case 1 or 2 or 3 or 4 or 5:
                    Member member = site.Members[Draw(site.Members.Count)];
                    for (int count = Draw(20); count >= 0 && member.Step(); count--)
                    {
                    }
                    break;
                case 6 or 7:
                    Tell(site, stamps: Draw(3) > 0);
                    break;
                default:
                    Way way = _ways[Draw(_ways.Count)];
                    for (int count = Draw(12); count >= 0 && Arrive(way); count--)
                    {
                    }
                    break;
            }
        }
    }

    /// <summary>Nothing more is sent; all arrives, but over ways that are cut.</summary>
    public void Settle()
    {
        for (int round = 0; round < 60; round++)
        {
            foreach (Site site in Sites)
            {
                Look(site);
                if (round % 16 == 15 && site.Gateway.Merge.Agreement.Joined is not null)
                    site.Ring.Add(static member => member.Merge.OnStands());
                foreach (Member member in site.Members)
                {
                    while (member.Step())
                    {
                    }
                }
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

    private int Draw(int bound) => (int)_random.NextBelow((ulong)bound);

    private void Begin(Site site)
    {
        site.Life = _life++;
        site.Ring.Clear();
        site.Members.Clear();
        for (int number = 0; number < 2; number++)
        {
            var member = new Member(
                site, new SiteMerge(site.Index, Sites.Length, site.Life, Policy) { DeliversSafe = Safe }, 0, number);
            site.Members.Add(member);
            Members.Add(member);
        }
        BeGateway(site, site.Members[0]);
    }

    private void BeGateway(Site site, Member member)
    {
        site.Gateway = member;
        site.Teller = new OrderTeller(member.Merge);
        site.Told = default;
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
        for (int of = 0; of < to.Merge.Count; of++)
        {
            foreach (Member other in site.Members)
            {
                for (ulong number = 1; number <= 1000; number++)
                {
                    if (other.Merge.Find(of, number) is { } entry) to.Merge.Give(entry);
                }
            }
        }
    }

    private void Restart(Site site)
    {
        TakeOver(site);
        foreach (Member member in site.Members) member.IsDead = true;
        _lostLives.Add($"{site.Life}");
        Begin(site);
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
        var content = new OrderedContent([], [], 1, System.Text.Encoding.UTF8.GetBytes(text));
        site.Ring.Add(member => member.Merge.OnLocal(content));
    }

    private void Tell(Site site, bool stamps)
    {
        if (site.Teller.Lacks) Give(site.Gateway, site);
        while (site.Teller.TakeEntry() is { } entry) Post(site, OrderRecord.Of(entry, isOwn: true));
        if (stamps && site.Teller.HasNews && site.Teller.TakeStamp() is { } stamp) Post(site, stamp);
        if (stamps && site.Teller.IsStateDue) Post(site, site.Teller.TakeState());
        if (!stamps) return;
        while (site.Teller.TakeForward() is { } forward)
        {
            Forwarded++;
            Post(site, OrderRecord.Of(forward, isOwn: false));
        }
    }

    private void Post(Site site, OrderRecord record)
    {
        foreach (Way? way in site.Ways.Values) way.Records.Add(Forges(record).ToBytes());
    }

    private bool Arrive(Way way)
    {
        if (way.Records.Count == 0 || _isCut[way.From.Index, way.To.Index]) return false;
        byte[] bytes = way.Records[0];
        way.Records.RemoveAt(0);
        int from = way.From.Index;
        way.To.Ring.Add(member => Put(member, from, bytes));
        return true;
    }

    private static void Put(Member member, int from, byte[] bytes)
    {
        OrderRecord? record = OrderRecord.Read(bytes);
        OrderedContent? content = record is { HasContent: true } ? new OrderedContent([], [], 1, record.Body) : null;
        RejectReason reason = record is null ? RejectReason.Malformed : member.Merge.OnRecord(from, record, content);
        if (reason == RejectReason.Malformed) member.Rejected++;
    }

    internal sealed record Way(Site From, Site To)
    {
        public List<byte[]> Records { get; } = [];
    }

    internal sealed class Site(int index)
    {
        public int Index => index;

        public ulong Life { get; set; }

        public SiteSet Told { get; set; }

        public List<Action<Member>> Ring { get; set; } = [];

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

        public ulong Rejected { get; set; }

        public List<(OrderPlace Place, string Text)> Delivered { get; } = [];

        public List<(OrderViewId View, OrderPlace Place)> Stamped { get; } = [];

        public List<(int After, OrderedEntry Entry)> Views { get; } = [];

        public int Site => site.Index;

        public bool Step()
        {
            if (Next == site.Ring.Count) return false;
            site.Ring[Next++](this);
            while (merge.TryTake(out OrderedEntry? entry))
            {
                if (entry!.Content is { } message)
                {
                    Stamped.Add((entry.View, entry.Place));
                    Delivered.Add((entry.Place, System.Text.Encoding.UTF8.GetString(message.Body.Span)));
                }
                else Views.Add((Delivered.Count, entry));
            }
            return true;
        }
    }
}
