using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Simulator.Ricochet;

/// <summary>
/// The workload of Ricochet's evaluation in virtual time. Bins, plans and elimination are the library's own; what
/// stands around them is a model: a packet takes 0.2 to 0.3 ms, nothing costs processor time, receivers drop packets
/// and repairs alike, and nobody asks for anything. So what repairs alone give is measured.
/// </summary>
internal sealed class RicochetModel
{
    private const int BlockBytes = 16;
    private const double Warm = 2;
    private const double Cool = 2;

    private readonly RicochetCase _case;
    private readonly SeededRandom _random;
    private readonly PriorityQueue<Happening, double> _events = new();
    private readonly Node[] _nodes;
    private readonly List<int>[] _groupMembers;
    private readonly Dictionary<LateralId, Sent> _sent = [];
    private readonly RicochetFigures _figures = new();
    private double _now;

    private RicochetModel(RicochetCase one)
    {
        _case = one;
        _random = new SeededRandom(one.Seed);
        int groups = one.Rates.Length;
        _groupMembers = [.. Enumerable.Range(0, groups).Select(static _ => new List<int>())];
        for (int node = 0; node < one.Members.Length; node++)
        {
            foreach (int group in one.Members[node]) _groupMembers[group].Add(node);
        }
        NodeInfo[] infos = [
            .. Enumerable.Range(0, one.Members.Length).Select(static node => new NodeInfo(
                new NodeNumber(new Epoch(1, 1), (uint)node + 1), $"n{node}", 1, default, default, 1 << 20))];
        _nodes = [.. Enumerable.Range(0, one.Members.Length).Select(node => new Node(this, node, infos))];
    }

    /// <summary>Runs a case.</summary>
    public static RicochetFigures Run(RicochetCase one)
    {
        var model = new RicochetModel(one);
        for (int node = 0; node < model._nodes.Length; node++)
            model.After(model._random.NextDouble() * one.Interval, new Happening(node, default, null));
        while (model._events.TryDequeue(out Happening next, out double at) && at < one.Seconds * 1000)
        {
            model._now = at;
            model.Happen(next);
        }
        model._figures.Bins = (model._nodes.Sum(static node => node.Bins), model._nodes.Length);
        foreach (Sent sent in model._sent.Values)
        {
            if (sent.IsCounted && sent.Waiting == 0 && sent.First >= 0)
                model._figures.Spreads.Add(sent.Last - sent.First);
        }
        return model._figures;
    }

    private void After(double milliseconds, Happening what) => _events.Enqueue(what, _now + milliseconds);

    private double Delay() => 0.2 + (0.1 * _random.NextDouble());

    private void Happen(in Happening what)
    {
        Node node = _nodes[what.Node];
        if (what.IsFlush)
        {
            node.Flush();
        }
        else if (what.Repair is { } repair)
        {
            node.OnRepair(repair);
        }
        else if (what.Id.Number != 0)
        {
            node.OnData(what.Id);
        }
        else
        {
            Send(node);
            After(_case.Interval * (0.9 + (0.2 * _random.NextDouble())), new Happening(what.Node, default, null));
        }
    }

    private void Send(Node node)
    {
        int[] groups = _case.Members[node.Index];
        if (groups.Length == 0) return;
        int group = groups[(int)_random.NextBelow((ulong)groups.Length)];
        ulong number = node.Next(group);
        var id = new LateralId(node.Key, (uint)group + 1, number, 0);
        bool isCounted = _now >= Warm * 1000 && _now < (_case.Seconds - Cool) * 1000;
        _sent.Add(id, new Sent { At = _now, IsCounted = isCounted, Waiting = _groupMembers[group].Count - 1 });
        node.OnOwn(id, group);
        foreach (int member in _groupMembers[group])
        {
            if (member != node.Index) After(Delay(), new Happening(member, id, null));
        }
    }

    private static void Fill(Span<byte> block, in LateralId id)
    {
        BitConverter.TryWriteBytes(block, id.Mixed);
        BitConverter.TryWriteBytes(block[8..], ~id.Mixed);
    }

    private readonly record struct Happening(int Node, LateralId Id, Repair? Repair, bool IsFlush = false);

    private sealed record Repair(LateralId[] Ids, uint Seed, byte[] Sum);

    private sealed class Sent
    {
        public double At;
        public double First = -1;
        public double Last;
        public int Waiting;
        public bool IsCounted;
    }

    private sealed class Node
    {
        private readonly RicochetModel _model;
        private readonly RepairBins _bins;
        private readonly Equations _equations = new();
        private readonly HashSet<LateralId> _known = [];
        private readonly HashSet<LateralId> _dropped = [];
        private readonly Dictionary<int, int> _indexes = [];
        private readonly Dictionary<int, ulong> _last = [];
        private readonly List<NodeInfo> _targets = [];
        private readonly byte[] _block = new byte[BlockBytes];
        private int _dropping;
        private bool _flushes;

        public Node(RicochetModel model, int index, NodeInfo[] infos)
        {
            _model = model;
            Index = index;
            Key = infos[index].Number.Key;
            int[] groups = model._case.Members[index];
            for (int at = 0; at < groups.Length; at++) _indexes.Add(groups[at], at);
            var regions = new List<LateralRegion>();
            var known = new Dictionary<string, LateralRegion>();
            int[] sizes = new int[groups.Length];
            for (int other = 0; other < infos.Length; other++)
            {
                if (other == index) continue;
                int[] shared = [.. model._case.Members[other].Where(_indexes.ContainsKey).Select(g => _indexes[g])];
                if (shared.Length == 0) continue;
                string key = string.Join(',', shared);
                if (!known.TryGetValue(key, out LateralRegion? region))
                {
                    known.Add(key, region = new LateralRegion(shared));
                    regions.Add(region);
                }
                region.Members.Add(infos[other]);
                foreach (int group in shared) sizes[group]++;
            }
            _bins = new RepairBins(new SeededRandom(model._random.NextUInt64()));
            _bins.Rebuild(
                new MultiGroupView([.. groups.Select(static group => (uint)group + 1)], sizes, regions),
                [.. groups.Select(group => model._case.Rates[group])], 8, model._case.Code,
                model._case.Lanes, Key);
        }

        public int Index { get; }

        public ulong Key { get; }

        public int Bins => _bins.Count;

        public ulong Next(int group) => _last[group] = _last.GetValueOrDefault(group) + 1;

        public void OnOwn(in LateralId id, int group)
        {
            _known.Add(id);
            _bins.Add(_indexes[group], id, isOwn: true, Now);
            SendRepairs();
        }

        public void OnData(in LateralId id)
        {
            Sent sent = _model._sent[id];
            if (sent.IsCounted) _model._figures.Data++;
            if (Drops())
            {
                if (!sent.IsCounted || _known.Contains(id)) return;
                _model._figures.Lost++;
                _dropped.Add(id);
                Count(id, 1, 0);
                return;
            }
            Take(id);
            Settle();
        }

        public void OnRepair(Repair repair)
        {
            if (Drops()) return;
            Equation equation = _equations.Rent();
            equation.Begin(repair.Sum);
            foreach (LateralId id in repair.Ids)
            {
                byte coefficient = LateralRepairBody.CoefficientOf(repair.Seed, id);
                if (_known.Contains(id))
                {
                    Fill(_block, id);
                    GaloisField.AddProduct(equation.Sum, _block, coefficient);
                }
                else
                {
                    equation.AddTo(id, coefficient);
                }
            }
            _equations.Enter(equation);
            Settle();
        }

        private void Settle()
        {
            while (_equations.TryTakeSolved(out LateralId id, out Equation equation))
            {
                Fill(_block, id);
                if (!equation.Sum.AsSpan(0, BlockBytes).SequenceEqual(_block))
                    throw new InvalidOperationException($"A repair gave {id} wrong.");
                _equations.Return(equation);
                if (_known.Contains(id)) continue;
                Sent sent = _model._sent[id];
                if (_dropped.Remove(id))
                {
                    _model._figures.Delays.Add(_model._now - sent.At);
                    Count(id, 0, 1);
                }
                Take(id);
            }
        }

        private void Take(in LateralId id)
        {
            if (!_known.Add(id)) return;
            Sent sent = _model._sent[id];
            sent.Waiting--;
            if (sent.First < 0) sent.First = _model._now;
            sent.Last = _model._now;
            _bins.Add(_indexes[(int)id.Group - 1], id, isOwn: false, Now);
            Fill(_block, id);
            _equations.OnKnown(id, _block);
            SendRepairs();
        }

        private Instant Now => new((long)(_model._now * TimeSpan.TicksPerMillisecond));

        public void Flush()
        {
            _flushes = false;
            _bins.Flush(Now);
            SendRepairs();
        }

        private void SendRepairs()
        {
            while (_bins.TryTake(out RepairBin bin))
            {
                _targets.Clear();
                _bins.AddTargets(bin, _targets);
                uint seed = _model._case.Code == LateralCode.Xor ? 0 : (uint)_model._random.NextUInt64() | 1;
                byte[] sum = new byte[BlockBytes];
                LateralId[] ids = [.. bin.Ids];
                foreach (LateralId id in ids)
                {
                    Fill(_block, id);
                    GaloisField.AddProduct(sum, _block, LateralRepairBody.CoefficientOf(seed, id));
                }
                bool isCounted = _model._now >= Warm * 1000 && _model._now < (_model._case.Seconds - Cool) * 1000;
                if (isCounted) _model._figures.Combined += ids.Length;
                var repair = new Repair(ids, seed, sum);
                foreach (NodeInfo target in _targets)
                {
                    if (isCounted) _model._figures.Repairs++;
                    _model.After(_model.Delay(), new Happening((int)target.Number.Counter - 1, default, repair));
                }
                _bins.Clear(bin);
            }
            Instant due = _bins.NextDue(Now);
            if (_flushes || due == Instant.Never) return;
            _flushes = true;
            _model.After((due - Now).TotalMilliseconds + 0.001, new Happening(Index, default, null, true));
        }

        private bool Drops()
        {
            if (_dropping > 0)
            {
                _dropping--;
                return true;
            }
            if (_model._random.NextDouble() >= _model._case.Loss / _model._case.Burst) return false;
            _dropping = _model._case.Burst - 1;
            return true;
        }

        private void Count(in LateralId id, long lost, long recovered)
        {
            int group = (int)id.Group - 1;
            (long Lost, long Recovered) sum = _model._figures.ByGroup.GetValueOrDefault(group);
            _model._figures.ByGroup[group] = (sum.Lost + lost, sum.Recovered + recovered);
        }
    }
}
