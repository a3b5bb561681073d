using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Fuzz.Worlds;

/// <summary>
/// The gateway of a site in the middle of its work: its link to a neighbour is up, and messages went both ways. What
/// the neighbour sent until then was recorded once, and is told to each gateway that is made, so all are alike.
/// </summary>
internal sealed class GatewayWorld
{
    private const int Window = 32;
    private const int InputsToEach = 32;
    private const int MostStreams = 8;
    // What is recorded and told to each gateway, and what is recorded to be damaged.
    private const int Steps = 160;
    private const int More = 60;

    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan After = TimeSpan.FromMilliseconds(20);
    private static readonly Instant Begin = new(10_000_000);
    private static readonly SiteMap Map = new(["a", "b", "c"], [new SiteLink("a", "b"), new SiteLink("b", "c")]);

    private readonly List<byte[][]> _steps = [];
    private Side _side = null!;
    private Instant _now;
    private int _inputs;

    /// <summary>Records the neighbour.</summary>
    public GatewayWorld()
    {
        var neighbour = new Side(1);
        Side own = new(0);
        var later = new List<byte[]>();
        Instant now = Begin;
        for (int step = 0; step < Steps + More; step++, now += Step)
        {
            neighbour.Turn(now, step);
            own.Turn(now, step);
            foreach (byte[] datagram in own.Take()) neighbour.Gateway.OnDatagram(0, datagram, now);
            byte[][] sent = neighbour.Take();
            foreach (byte[] datagram in sent) own.Gateway.OnDatagram(1, datagram, now);
            if (step < Steps) _steps.Add(sent);
            else later.AddRange(sent);
        }
        LinkHeader.TryRead(later[0], out LinkHeader header);
        later.Add(Feedback(LinkKind.Ack, header));
        later.Add(Feedback(LinkKind.Linger, header));
        Make();
        Valid = [.. later.Where(TryTake).DistinctBy(Convert.ToHexString)];
        Make();
    }

    /// <summary>What comes next, and is taken.</summary>
    public byte[][] Valid { get; }

    /// <summary>Gives the gateway a datagram of its neighbour, and some time.</summary>
    /// <returns>True when it is of their connection.</returns>
    /// <exception cref="Targets.FuzzException">It keeps more than it may.</exception>
    public bool Try(Span<byte> input)
    {
        if (++_inputs >= InputsToEach) Make();
        bool isTaken = TryTake(input);
        _now += After;
        _side.Turn(_now, step: -1);
        _side.Take();
        if (_side.Gateway.Ahead > MostStreams * 2 * Window || _side.Gateway.Streams > MostStreams)
        {
            throw new Targets.FuzzException(
                $"keeps {_side.Gateway.Ahead} records of {_side.Gateway.Streams} streams beyond missing ones");
        }
        return isTaken;
    }

    // What goes alone only where nothing else goes.
    private static byte[] Feedback(LinkKind kind, in LinkHeader header)
    {
        var bytes = new byte[200];
        var writer = new WireWriter(bytes);
        new LinkHeader(kind, header.Own, header.Peer).Write(ref writer);
        new LinkFeedback { Cumulative = 1, Highest = 3, Time = Step }.Write(ref writer, [new SequenceRange(2, 3)]);
        if (kind == LinkKind.Linger) writer.WriteVarint(3);
        return bytes[..writer.Written];
    }

    private bool TryTake(byte[] input) => TryTake(input.AsSpan());

    private bool TryTake(Span<byte> input) => _side.Gateway.OnDatagram(1, input, _now);

    private void Make()
    {
        (_side, _now, _inputs) = (new Side(0), Begin, 0);
        for (int step = 0; step < _steps.Count; step++, _now += Step)
        {
            _side.Turn(_now, step);
            foreach (byte[] datagram in _steps[step]) _side.Gateway.OnDatagram(1, datagram, _now);
            _side.Take();
        }
    }

    private sealed class Side : IGatewayHost
    {
        private const int SendsEach = 7;
        private const int Burst = 5;
        private const uint Group = 1;

        private static readonly byte[] Message = new byte[100];

        private readonly AlarmQueue _alarms = new();
        private readonly List<byte[]> _sent = [];
        private readonly int _index;

        public Side(int index)
        {
            _index = index;
            var settings = new GatewaySettings
            {
                InOrder = true,
                Window = Window,
                MostStreams = MostStreams,
                Link = new LinkSettings { ReceiveWindow = 64, OpenPackets = 64, ParityEvery = 2 },
            };
            Gateway = new Gateway(
                index, 5, Map, settings, this, _alarms, new SeededRandom((ulong)index + 1));
            Gateway.Start([Group], Begin);
        }

        public Gateway Gateway { get; }

        public void Turn(Instant now, int step)
        {
            while (_alarms.FireNext(now))
            {
            }
            for (int count = CountOf(step); count > 0 && Gateway.HasRoom(Group); count--)
                Gateway.Send(Group, Message, now);
            // The neighbour tells it by a link state.
            if (_index == 1 && step == Steps) Gateway.SetGroups([Group, Group + 1], now);
        }

        // At last the gateway has much under way, and the neighbour after it: then feedback on it is no lie yet.
        private int CountOf(int step)
        {
            if (step == Steps - 1 + _index) return Burst;
            return step >= 0 && step < Steps && step % SendsEach == _index ? 1 : 0;
        }

        public byte[][] Take()
        {
            byte[][] sent = [.. _sent];
            _sent.Clear();
            return sent;
        }

        void IGatewayHost.Send(int site, ReadOnlySpan<byte> datagram)
        {
            // To the third site there is no way.
            if (site != 2) _sent.Add(datagram.ToArray());
        }

        void IGatewayHost.Deliver(StreamId stream, ulong number, ReadOnlySpan<byte> payload)
        {
        }

        void IGatewayHost.Lose(StreamId stream, SequenceRange numbers)
        {
        }

        void IGatewayHost.Pass(StreamId stream, SequenceRange numbers)
        {
        }
    }
}
