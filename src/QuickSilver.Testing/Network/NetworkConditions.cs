namespace QuickSilver.Testing.Network;

/// <summary>
/// What is wrong with the network at this moment, set and cleared by faults. Each condition counts, so that overlapping faults of one kind end when
/// the last of them ends.
/// </summary>
internal sealed class NetworkConditions
{
    private readonly Dictionary<(int From, int To), int> _cuts = [];
    private readonly Dictionary<int, int> _deaf = [];
    private readonly Dictionary<int, int> _mute = [];
    private readonly List<(int? From, int? To, double Loss)> _losses = [];
    private int _multicastOutages;

    /// <summary>True while anything at all is wrong: the one test on the way of a datagram in a healthy network.</summary>
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

    /// <summary>Makes multicast vanish while unicast goes on, or ends that.</summary>
    public void BreakMulticast(bool begins)
    {
        _multicastOutages += begins ? 1 : -1;
        Update();
    }

    /// <summary>True when nothing passes in this direction.</summary>
    public bool Blocks(int from, int to, bool multicast) =>
        _mute.ContainsKey(from) || _deaf.ContainsKey(to) || _cuts.ContainsKey((from, to)) || (multicast && _multicastOutages > 0);

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

    private void Count<TKey>(Dictionary<TKey, int> counts, TKey key, bool begins)
        where TKey : notnull
    {
        int count = counts.GetValueOrDefault(key) + (begins ? 1 : -1);
        if (count > 0) counts[key] = count;
        else counts.Remove(key);
        Update();
    }

    private void Update() => Any = _cuts.Count + _deaf.Count + _mute.Count + _losses.Count + _multicastOutages > 0;
}
