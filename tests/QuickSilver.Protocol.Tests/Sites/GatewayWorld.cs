using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>Gateways with a delay of ten milliseconds between neighbours, and a hand on each datagram.</summary>
internal sealed class GatewayWorld
{
    private static readonly TimeSpan Delay = TimeSpan.FromMilliseconds(10);

    private readonly PriorityQueue<(int From, int To, byte[] Bytes), (long, int)> _inFlight = new();
    private int _order;

    public GatewayWorld(SiteMap map, GatewaySettings settings, Func<int, uint[]>? groups = null, byte first = 0)
    {
        Sites = [.. Enumerable.Range(0, map.Count).Select(site => new Site(this, site, map, settings))];
        foreach (Site site in Sites) site.Gateway.Start(groups?.Invoke(site.Index) ?? [1], Now);
        // Sent before any link is up.
        if (first > 0) Sites[0].Send(first);
        else RunFor(TimeSpan.FromSeconds(2));
    }

    public Instant Now { get; private set; } = new(10_000_000);

    public Site[] Sites { get; }

    /// <summary>Decides whether a datagram is lost.</summary>
    public Func<int, int, byte[], bool> Loses { get; set; } = static (_, _, _) => false;

    /// <summary>The first byte of the payload of a message on its way; 0 for other datagrams.</summary>
    public static byte MessageOf(byte[] datagram)
    {
        if (LinkPair.NumberOf(datagram) == 0) return 0;
        LinkDataBody.TryRead(datagram.AsSpan(LinkHeader.Length), out LinkDataBody data);
        var reader = new WireReader(data.Record);
        return RecordHead.TryRead(ref reader, out RecordHead head) && head.Kind == RecordKind.Message
            ? reader.ReadByte() : (byte)0;
    }

    public void RunFor(TimeSpan time)
    {
        Instant end = Now + time;
        while (true)
        {
            Site next = Sites.MinBy(static site => site.Alarms.NextDue.Ticks)!;
            Instant due = next.Alarms.NextDue;
            bool isDatagram = _inFlight.TryPeek(out _, out (long Due, int) key) && key.Due <= due.Ticks;
            if (isDatagram) due = new Instant(key.Due);
            if (due > end) break;
            if (due > Now) Now = due;
            if (!isDatagram)
            {
                next.Alarms.FireNext(Now);
                continue;
            }
            (int from, int to, byte[] bytes) = _inFlight.Dequeue();
            Sites[to].Gateway.OnDatagram(from, bytes, Now);
        }
        Now = end;
    }

    internal sealed class Site : IGatewayHost
    {
        private readonly GatewayWorld _world;

        public Site(GatewayWorld world, int index, SiteMap map, GatewaySettings settings)
        {
            _world = world;
            Index = index;
            Gateway = new Gateway(index, 5, map, settings, this, Alarms, new SeededRandom((ulong)index + 1));
        }

        public int Index { get; }

        public AlarmQueue Alarms { get; } = new();

        public Gateway Gateway { get; }

        public List<byte> Delivered { get; } = [];

        /// <summary>Records that were not for this site.</summary>
        public ulong Passed { get; private set; }

        /// <summary>Messages in the order in which they left for each neighbour, resends included.</summary>
        public List<(int To, ulong Number, byte Message)> Sent { get; } = [];

        /// <summary>Link numbers asked for, by neighbour.</summary>
        public List<(int From, ulong Number)> Asked { get; } = [];

        public ulong Send(byte message) => Gateway.Send(1, new[] { message, (byte)0 }, _world.Now);

        void IGatewayHost.Send(int site, ReadOnlySpan<byte> datagram)
        {
            byte[] bytes = datagram.ToArray();
            if (MessageOf(bytes) is > 0 and byte message) Sent.Add((site, LinkPair.NumberOf(bytes), message));
            Asked.AddRange(LinkPair.NacksOf(bytes).Select(number => (site, number)));
            if (_world.Loses(Index, site, bytes)) return;
            _world._inFlight.Enqueue((Index, site, bytes), ((_world.Now + Delay).Ticks, _world._order++));
        }

        void IGatewayHost.Deliver(StreamId stream, ulong number, ReadOnlySpan<byte> payload) =>
            Delivered.Add(payload[0]);

        void IGatewayHost.Lose(StreamId stream, SequenceRange numbers) =>
            Delivered.AddRange(Enumerable.Repeat((byte)0, (int)numbers.Count));

        void IGatewayHost.Pass(StreamId stream, SequenceRange numbers) => Passed += numbers.Count;
    }
}
