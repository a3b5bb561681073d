using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>Two ends of a link with a delay between them, and a hand on each datagram.</summary>
internal sealed class LinkPair
{
    public static readonly TimeSpan Delay = TimeSpan.FromMilliseconds(10);

    private readonly PriorityQueue<(End To, byte[] Bytes), (long, int)> _inFlight = new();
    private int _order;

    public LinkPair(LinkSettings? settings = null, LinkSettings? second = null)
    {
        First = new End(this, 0, settings ?? new LinkSettings());
        Second = new End(this, 1, second ?? settings ?? new LinkSettings());
        First.Peer = Second;
        Second.Peer = First;
    }

    public End First { get; }

    public End Second { get; }

    /// <summary>Another gateway at the first end's site: the second end sends to both.</summary>
    public End? Other { get; private set; }

    public Instant Now { get; private set; } = new(10_000_000);

    /// <summary>Decides whether a datagram is lost.</summary>
    public Func<End, LinkKind, byte[], bool> Loses { get; set; } = static (_, _, _) => false;

    /// <summary>How much later than others a datagram comes.</summary>
    public Func<End, byte[], TimeSpan> Late { get; set; } = static (_, _) => TimeSpan.Zero;

    /// <summary>Whether the carrier takes more from an end.</summary>
    public Func<End, bool> HasRoom { get; set; } = static _ => true;

    public static LinkPair Up(LinkSettings? settings = null)
    {
        var pair = new LinkPair(settings);
        pair.Start();
        return pair;
    }

    /// <summary>Starts both ends, and waits until they are up.</summary>
    public void Start()
    {
        First.Link.Start(Now);
        Second.Link.Start(Now);
        RunFor(TimeSpan.FromSeconds(1));
        Assert.Equal((LinkState.Up, LinkState.Up), (First.Link.State, Second.Link.State));
    }

    /// <summary>Starts another gateway at the first end's site.</summary>
    /// <param name="node">Number of its node; the first end has 5.</param>
    public End StartOther(ulong node)
    {
        Other = new End(this, 0, new LinkSettings(), node) { Peer = Second };
        Other.Link.Start(Now);
        return Other;
    }

    /// <summary>The link number of a packet; 0 for other datagrams.</summary>
    public static ulong NumberOf(byte[] datagram) =>
        datagram[3] == (byte)LinkKind.Data && LinkDataBody.TryRead(datagram.AsSpan(LinkHeader.Length), out var data)
            ? data.Number : 0;

    /// <summary>What a datagram asks for.</summary>
    public static ulong[] NacksOf(byte[] datagram)
    {
        if (datagram[3] is (byte)LinkKind.Hello or (byte)LinkKind.Parity) return [];
        var reader = new WireReader(datagram.AsSpan(LinkHeader.Length));
        var found = new List<ulong>();
        foreach (SequenceRange range in LinkFeedback.Read(ref reader).Nacks)
        {
            for (ulong number = range.Start; number < range.End; number++) found.Add(number);
        }
        return [.. found];
    }

    public void RunFor(TimeSpan time)
    {
        Instant end = Now + time;
        while (true)
        {
            Instant next = First.Alarms.NextDue < Second.Alarms.NextDue ? First.Alarms.NextDue : Second.Alarms.NextDue;
            if (Other is not null && Other.Alarms.NextDue < next) next = Other.Alarms.NextDue;
            bool isDatagram = _inFlight.TryPeek(out _, out (long Due, int) key) && key.Due <= next.Ticks;
            if (isDatagram) next = new Instant(key.Due);
            if (next > end) break;
            if (next > Now) Now = next;
            if (isDatagram)
            {
                (End to, byte[] bytes) = _inFlight.Dequeue();
                to.Link.OnDatagram(bytes, Now);
            }
            else if (!First.Alarms.FireNext(Now) && !Second.Alarms.FireNext(Now))
            {
                Other?.Alarms.FireNext(Now);
            }
        }
        Now = end;
    }

    private void Send(End from, ReadOnlySpan<byte> datagram)
    {
        byte[] bytes = datagram.ToArray();
        from.Sent.Add((Now, bytes));
        if (Loses(from, (LinkKind)bytes[3], bytes)) return;
        _inFlight.Enqueue((from.Peer, bytes), ((Now + Delay + Late(from, bytes)).Ticks, _order++));
        if (from == Second && Other is not null) _inFlight.Enqueue((Other, bytes), ((Now + Delay).Ticks, _order++));
    }

    internal sealed class End : ILinkHost
    {
        private readonly LinkPair _pair;

        public End(LinkPair pair, int site, LinkSettings settings, ulong node = 5)
        {
            _pair = pair;
            Link = new Link(
                new LinkIdentity(77, site, node, 1 - site), settings, this, Alarms,
                new SeededRandom((ulong)site + node - 4));
        }

        public AlarmQueue Alarms { get; } = new();

        public Link Link { get; }

        public End Peer { get; set; } = null!;

        public List<(Instant At, byte[] Bytes)> Sent { get; } = [];

        public List<byte> Records { get; } = [];

        public List<byte[]> Whole { get; } = [];

        public List<(LinkFailure Why, int Left)> Failures { get; } = [];

        public void Offer(byte record) => Link.Offer(new LinkItem(new[] { record }, new byte[50]), _pair.Now);

        void ILinkHost.Send(Link link, ReadOnlySpan<byte> datagram) => _pair.Send(this, datagram);

        bool ILinkHost.HasRoom(Link link) => _pair.HasRoom(this);

        bool ILinkHost.OnRecord(Link link, ReadOnlySpan<byte> record, Instant now)
        {
            Records.Add(record[0]);
            Whole.Add(record.ToArray());
            return true;
        }

        void ILinkHost.OnUp(Link link, Instant now)
        {
        }

        void ILinkHost.OnFailed(Link link, LinkFailure failure, IReadOnlyList<LinkItem> left, Instant now) =>
            Failures.Add((failure, left.Count));
    }
}
