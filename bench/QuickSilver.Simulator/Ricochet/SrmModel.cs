using QuickSilver.Protocol.Core;

namespace QuickSilver.Simulator.Ricochet;

/// <summary>
/// SRM (Floyd, Jacobson, Liu, McCanne, Zhang: scalable reliable multicast) under the workload of Ricochet's evaluation,
/// as the baseline of its Figure 12. A receiver finds a loss by the next packet of the same sender and group. It waits
/// a random time in [C1 d, (C1 + C2) d], d being the delay to the sender, and asks by multicast. Who hears another's
/// request doubles its own wait. Any member that has the packet waits [D1 d, (D1 + D2) d], and sends it again by
/// multicast, unless another did. Then it ignores requests for the packet for 3 d.
/// <para>
/// Delays are those of <see cref="RicochetModel"/>, and processors cost nothing: so timers are SRM's shortest, and what
/// remains is the time until a loss is found. There are no session messages, as in the paper's reading.
/// </para>
/// </summary>
internal sealed class SrmModel
{
    private const double RequestLeast = 2;
    private const double RequestSpread = 2;
    private const double RepairLeast = 1;
    private const double HoldDown = 3;
    private const double Distance = 0.25;
    private const double Warm = 2;

    // The square root of a group's size: members of one network are equally far, so only chance tells them apart.
    private static readonly double RepairSpread = Math.Sqrt(10);

    private readonly RicochetCase _case;
    private readonly SeededRandom _random;
    private readonly PriorityQueue<Happening, double> _events = new();
    private readonly List<int>[] _members;
    private readonly Node[] _nodes;
    private readonly Dictionary<Packet, double> _sentAt = [];
    private readonly SrmFigures _figures = new();
    private double _now;

    private SrmModel(RicochetCase one)
    {
        _case = one;
        _random = new SeededRandom(one.Seed);
        _members = [.. Enumerable.Range(0, one.Rates.Length).Select(static _ => new List<int>())];
        for (int node = 0; node < one.Members.Length; node++)
        {
            foreach (int group in one.Members[node]) _members[group].Add(node);
        }
        _nodes = [.. one.Members.Select(static _ => new Node())];
    }

    private enum Kind
    {
        Turn,
        Data,
        RequestDue,
        Request,
        RepairDue,
        Repair,
    }

    /// <summary>Runs a case.</summary>
    public static SrmFigures Run(RicochetCase one)
    {
        var model = new SrmModel(one);
        for (int node = 0; node < one.Members.Length; node++)
            model.After(model._random.NextDouble() * one.Interval, new Happening(Kind.Turn, node, default));
        while (model._events.TryDequeue(out Happening next, out double at) && at < one.Seconds * 1000)
        {
            model._now = at;
            model.Happen(next);
        }
        return model._figures;
    }

    private void After(double milliseconds, in Happening what) => _events.Enqueue(what, _now + milliseconds);

    private double Between(double least, double spread) => Distance * (least + (spread * _random.NextDouble()));

    private void Happen(in Happening what)
    {
        Node node = _nodes[what.Node];
        switch (what.Kind)
        {
            case Kind.Turn:
                Send(what.Node, node);
                After(_case.Interval * (0.9 + (0.2 * _random.NextDouble())), what);
                break;
            case Kind.Data:
                if (!Drops()) OnData(what, node);
                break;
            case Kind.RequestDue:
                OnRequestDue(what, node);
                break;
            case Kind.Request:
                if (!Drops()) OnRequest(what, node);
                break;
            case Kind.RepairDue:
                if (!node.Answering.Remove(what.Packet)) break;
                if (IsMeasured(what.Packet)) _figures.Repairs++;
                node.Repaired[what.Packet] = _now;
                Cast(Kind.Repair, what.Node, what.Packet);
                break;
            default:
                if (Drops()) break;
                node.Answering.Remove(what.Packet);
                node.Repaired[what.Packet] = _now;
                Have(node, what.Packet, isRepair: true);
                break;
        }
    }

    private void Send(int index, Node node)
    {
        int[] groups = _case.Members[index];
        if (groups.Length == 0) return;
        int group = groups[(int)_random.NextBelow((ulong)groups.Length)];
        long number = node.Sent.GetValueOrDefault(group) + 1;
        node.Sent[group] = number;
        var packet = new Packet(index, group, number);
        _sentAt.Add(packet, _now);
        node.Has.Add(packet);
        Cast(Kind.Data, index, packet);
    }

    private void Cast(Kind kind, int from, in Packet packet)
    {
        foreach (int member in _members[packet.Group])
        {
            if (member == from) continue;
            _figures.Datagrams++;
            After(0.2 + (0.1 * _random.NextDouble()), new Happening(kind, member, packet));
        }
    }

    private void OnData(in Happening what, Node node)
    {
        Packet packet = what.Packet;
        _figures.Data++;
        Have(node, packet, isRepair: false);
        (int, int) stream = (packet.Sender, packet.Group);
        long last = node.Last.GetValueOrDefault(stream);
        for (long number = last + 1; number < packet.Number; number++)
        {
            Packet missing = packet with { Number = number };
            if (node.Has.Contains(missing)) continue;
            node.Missing[missing] = (_now, 1);
            if (IsMeasured(missing)) _figures.Discoveries.Add(_now - _sentAt[missing]);
            After(Between(RequestLeast, RequestSpread), new Happening(Kind.RequestDue, what.Node, missing));
        }
        node.Last[stream] = Math.Max(last, packet.Number);
    }

    private void OnRequestDue(in Happening what, Node node)
    {
        if (!node.Missing.TryGetValue(what.Packet, out (double NotBefore, int Backoff) state)) return;
        if (_now >= state.NotBefore)
        {
            if (IsMeasured(what.Packet)) _figures.Requests++;
            Cast(Kind.Request, what.Node, what.Packet);
        }
        Double(what.Packet, what.Node, node, state.Backoff);
    }

    private void Double(in Packet packet, int index, Node node, int backoff)
    {
        int next = Math.Min(64, 2 * backoff);
        double wait = Between(RequestLeast * next, RequestSpread * next);
        node.Missing[packet] = (_now + (wait * 0.999), next);
        After(wait, new Happening(Kind.RequestDue, index, packet));
    }

    private void OnRequest(in Happening what, Node node)
    {
        if (node.Missing.TryGetValue(what.Packet, out (double NotBefore, int Backoff) state))
        {
            // Heard another's: the own waits as if it had been sent.
            int next = Math.Min(64, 2 * state.Backoff);
            node.Missing[what.Packet] = (_now + Between(RequestLeast * next, 0), next);
        }
        else if (node.Has.Contains(what.Packet) && !IsHeld(node, what.Packet) && node.Answering.Add(what.Packet))
        {
            After(Between(RepairLeast, RepairSpread), new Happening(Kind.RepairDue, what.Node, what.Packet));
        }
    }

    private bool IsHeld(Node node, in Packet packet) =>
        node.Repaired.TryGetValue(packet, out double at) && _now < at + (HoldDown * Distance);

    private void Have(Node node, in Packet packet, bool isRepair)
    {
        if (!node.Has.Add(packet)) return;
        node.Missing.Remove(packet);
        if (isRepair && IsMeasured(packet)) _figures.Delays.Add(_now - _sentAt[packet]);
    }

    // What is said of a loss counts with the loss, so of the same packets.
    private bool IsMeasured(in Packet packet) => _sentAt[packet] >= Warm * 1000;

    private bool Drops() => _random.NextDouble() < _case.Loss;

    private readonly record struct Packet(int Sender, int Group, long Number);

    private readonly record struct Happening(Kind Kind, int Node, Packet Packet);

    private sealed class Node
    {
        public HashSet<Packet> Has { get; } = [];

        public Dictionary<Packet, (double NotBefore, int Backoff)> Missing { get; } = [];

        public HashSet<Packet> Answering { get; } = [];

        public Dictionary<Packet, double> Repaired { get; } = [];

        public Dictionary<int, long> Sent { get; } = [];

        public Dictionary<(int Sender, int Group), long> Last { get; } = [];
    }
}
