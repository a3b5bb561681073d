using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
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
        const int steps = 160, more = 60;
        var neighbour = new Side(1);
        Side own = new(0);
        var later = new List<byte[]>();
        Instant now = Begin;
        for (int step = 0; step < steps + more; step++, now += Step)
        {
            neighbour.Turn(now, step);
            own.Turn(now, step);
            foreach (byte[] datagram in own.Take()) neighbour.Gateway.OnDatagram(0, datagram, now);
            byte[][] sent = neighbour.Take();
            foreach (byte[] datagram in sent) own.Gateway.OnDatagram(1, datagram, now);
            if (step < steps) _steps.Add(sent);
            else later.AddRange(sent);
        }
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
        // Some while the link is coming up, and some behind the recorded ones.
        private const int SendsEach = 7;
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
            if (step >= 0 && step % SendsEach == _index && Gateway.HasRoom(Group)) Gateway.Send(Group, Message, now);
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
