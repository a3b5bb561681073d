using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Faults;

namespace QuickSilver.Testing.Network;

/// <summary>
/// What is wrong with the network at this moment, set and cleared by faults. Each condition counts, so that overlapping
/// faults of one kind end when the last of them ends.
/// </summary>
internal sealed class NetworkConditions
{
    private readonly Dictionary<(int From, int To), int> _cuts = [];
    private readonly Dictionary<int, int> _deaf = [];
    private readonly Dictionary<int, int> _mute = [];
    private readonly List<(int? From, int? To)> _multicastCuts = [];
    private readonly List<(int? From, int? To, double Loss)> _losses = [];
    private readonly List<(Fault Fault, IDisturbance Disturbance)> _disturbances = [];
    private readonly List<LateDuplicates> _late = [];
    private readonly List<CorruptionBurst> _corruptions = [];
    private readonly List<ForgedSource> _forgeries = [];
    private readonly List<LengthLimit> _lengths = [];
    private int _unicastOutages;

    /// <summary>True while anything at all is wrong: the one test on the way of a datagram in a healthy
    /// network.</summary>
    public bool Any { get; private set; }

    /// <summary>Cuts or mends one direction between two nodes.</summary>
    public void Cut(int from, int to, bool begins) => Count(_cuts, (from, to), begins);

    /// <summary>Makes a node receive nothing, or ends that.</summary>
    public void Deafen(int node, bool begins) => Count(_deaf, node, begins);

    /// <summary>Makes a node's datagrams vanish, or ends that.</summary>
    public void Mute(int node, bool begins) => Count(_mute, node, begins);

    /// <summary>Adds loss to links, or takes it away.</summary>
    public void Lose(int? from, int? to, double loss, bool begins)
    {
        if (begins) _losses.Add((from, to, loss));
        else _losses.Remove((from, to, loss));
        Update();
    }

    /// <summary>Makes multicast vanish while unicast goes on, of one sender or of all (null), for one receiver or for
    /// all, or ends that.</summary>
    public void BreakMulticast(int? from, int? to, bool begins)
    {
        if (begins) _multicastCuts.Add((from, to));
        else _multicastCuts.Remove((from, to));
        Update();
    }

    /// <summary>Makes unicast vanish while multicast goes on, or ends that.</summary>
    public void BreakUnicast(bool begins)
    {
        _unicastOutages += begins ? 1 : -1;
        Update();
    }

    /// <summary>Lets something drop copies for as long as its fault lasts.</summary>
    public void Begin(Fault fault, IDisturbance disturbance)
    {
        _disturbances.Add((fault, disturbance));
        Update();
    }

    /// <summary>Ends what <see cref="Begin"/> began.</summary>
    public void End(Fault fault)
    {
        int index = _disturbances.FindIndex(entry => ReferenceEquals(entry.Fault, fault));
        if (index >= 0) _disturbances.RemoveAt(index);
        Update();
    }

    /// <summary>Lets copies come again much later, or ends that.</summary>
    public void Duplicate(LateDuplicates fault, bool begins) => Toggle(_late, fault, begins);

    /// <summary>Lets a stranger send in the nodes' names, or ends that.</summary>
    public void Forge(ForgedSource fault, bool begins) => Toggle(_forgeries, fault, begins);

    /// <summary>Damages copies, or ends that.</summary>
    public void Corrupt(CorruptionBurst fault, bool begins) => Toggle(_corruptions, fault, begins);

    /// <summary>Makes long datagrams vanish, or ends that.</summary>
    public void Shorten(LengthLimit fault, bool begins) => Toggle(_lengths, fault, begins);

    /// <summary>True when a datagram is too long for its way.</summary>
    public bool IsTooLong(int from, int to, int bytes)
    {
        foreach (LengthLimit fault in _lengths)
        {
            if (bytes > fault.Bytes && (fault.From ?? from) == from && (fault.To ?? to) == to) return true;
        }
        return false;
    }

    /// <summary>True when nothing passes in this direction.</summary>
    public bool Blocks(int from, int to, bool multicast) =>
        _mute.ContainsKey(from) || _deaf.ContainsKey(to) || _cuts.ContainsKey((from, to))
        || (multicast ? LosesMulticast(from, to) : _unicastOutages > 0);

    /// <summary>True when one of the disturbances drops a copy.</summary>
    public bool Drops(int from, int to, ulong ordinal, DatagramKind kind, Instant now)
    {
        foreach ((Fault _, IDisturbance disturbance) in _disturbances)
        {
            if (disturbance.Drops(from, to, ordinal, kind, now)) return true;
        }
        return false;
    }

    /// <summary>How much later a copy comes because of disturbances.</summary>
    public TimeSpan DelayOf(int from, int to, DatagramKind kind)
    {
        TimeSpan delay = default;
        foreach ((Fault _, IDisturbance disturbance) in _disturbances) delay += disturbance.Delays(from, to, kind);
        return delay;
    }

    /// <summary>Damage on top of the link's own: probability.</summary>
    public double CorruptionOn(int from, int to)
    {
        double intact = 1;
        foreach (CorruptionBurst fault in _corruptions)
        {
            if ((fault.From ?? from) == from && (fault.To ?? to) == to) intact *= 1 - fault.Probability;
        }
        return 1 - intact;
    }

    /// <summary>Late duplicates that may befall any copy now.</summary>
    public IReadOnlyList<LateDuplicates> Late => _late;

    /// <summary>Forgeries that may accompany any copy now.</summary>
    public IReadOnlyList<ForgedSource> Forgeries => _forgeries;

    /// <summary>Loss on top of the link's own.</summary>
    public double LossOn(int from, int to)
    {
        double pass = 1;
        foreach ((int? source, int? target, double loss) in _losses)
        {
            if ((source ?? from) == from && (target ?? to) == to) pass *= 1 - loss;
        }
        return 1 - pass;
    }

    private bool LosesMulticast(int from, int to)
    {
        foreach ((int? source, int? target) in _multicastCuts)
        {
            if ((source ?? from) == from && (target ?? to) == to) return true;
        }
        return false;
    }

    private void Count<TKey>(Dictionary<TKey, int> counts, TKey key, bool begins)
        where TKey : notnull
    {
        int count = counts.GetValueOrDefault(key) + (begins ? 1 : -1);
        if (count > 0) counts[key] = count;
        else counts.Remove(key);
        Update();
    }

    private void Toggle<TFault>(List<TFault> faults, TFault fault, bool begins)
    {
        if (begins) faults.Add(fault);
        else faults.Remove(fault);
        Update();
    }

    private void Update() =>
        Any = _cuts.Count + _deaf.Count + _mute.Count + _losses.Count + _multicastCuts.Count + _disturbances.Count
            + _late.Count + _corruptions.Count
            + _forgeries.Count + _lengths.Count + _unicastOutages > 0;
}
