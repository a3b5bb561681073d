using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// Names that led to no segment. An offer of one comes again and again, and looking costs system calls: after a few times it is given up. Only the
/// latest are remembered, so that made-up names cost no memory. After <see cref="MostASecond"/> refusals within a second nothing is tried until that
/// second is over, so that made-up names cost little time either: senders repeat their offers.
/// </summary>
internal sealed class RefusedNames
{
    /// <summary>Refusals within a second after which nothing is tried until the second is over.</summary>
    public const int MostASecond = 256;

    private const int MostTries = 3;
    private const int MostNames = 64;
    private const int PauseMilliseconds = 1000;

    private readonly Dictionary<SegmentName, (int Tries, long NextAt)> _names = new(MostNames);
    private readonly Queue<SegmentName> _order = new(MostNames);
    private long _second;
    private int _refusals;

    /// <summary>Names remembered.</summary>
    public int Count => _names.Count;

    /// <summary>True when a name need not be tried, at this moment or ever.</summary>
    public bool IsGivenUp(in SegmentName name, long now)
    {
        if (_refusals >= MostASecond && now / 1000 == _second) return true;
        return _names.TryGetValue(name, out (int Tries, long NextAt) entry) && (entry.Tries >= MostTries || now < entry.NextAt);
    }

    /// <summary>A name led nowhere.</summary>
    public void Add(in SegmentName name, long now)
    {
        if (now / 1000 != _second) _refusals = 0;
        _second = now / 1000;
        _refusals++;
        Note(name, 1, long.MinValue);
    }

    /// <summary>There was no room for this reader: that may change, but not at once.</summary>
    public void Pause(in SegmentName name, long now) => Note(name, 0, now + PauseMilliseconds);

    private void Note(in SegmentName name, int tries, long nextAt)
    {
        if (_names.TryGetValue(name, out (int Tries, long NextAt) entry))
        {
            _names[name] = (entry.Tries + tries, nextAt);
            return;
        }
        if (_names.Count == MostNames) _names.Remove(_order.Dequeue());
        _names.Add(name, (tries, nextAt));
        _order.Enqueue(name);
    }
}
