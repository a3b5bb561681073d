using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// Remembers names without a segment. Their offers are repeated, and each attempt costs system calls, so that a name is
/// given up after a few attempts. Only the latest names are remembered, so that invented names cost no memory. After
/// <see cref="MaxPerSecond"/> refusals within a second, no name is tried until that second is over, so that invented
/// names cost little time. Valid offers are repeated.
/// </summary>
internal sealed class RefusedNames
{
    /// <summary>The limit of refusals within a second; beyond it no name is tried until the second is over.</summary>
    public const int MaxPerSecond = 256;

    private const int MaxTries = 3;
    private const int MaxNames = 64;
    private const int PauseMilliseconds = 1000;

    private readonly Dictionary<SegmentName, (int Tries, long NextAt)> _names = new(MaxNames);
    private readonly Queue<SegmentName> _order = new(MaxNames);
    private long _second;
    private int _refusals;

    /// <summary>The number of names remembered.</summary>
    public int Count => _names.Count;

    /// <summary>True when a name is not to be tried, at this moment or ever.</summary>
    public bool IsGivenUp(in SegmentName name, long now)
    {
        if (_refusals >= MaxPerSecond && now / 1000 == _second) return true;
        return _names.TryGetValue(name, out (int Tries, long NextAt) entry)
            && (entry.Tries >= MaxTries || now < entry.NextAt);
    }

    /// <summary>Notes that a name has no segment.</summary>
    public void Add(in SegmentName name, long now)
    {
        if (now / 1000 != _second) _refusals = 0;
        _second = now / 1000;
        _refusals++;
        Note(name, 1, long.MinValue);
    }

    /// <summary>Notes that there was no room for this reader, which delays the next attempt.</summary>
    public void Pause(in SegmentName name, long now) => Note(name, 0, now + PauseMilliseconds);

    private void Note(in SegmentName name, int tries, long nextAt)
    {
        if (_names.TryGetValue(name, out (int Tries, long NextAt) entry))
        {
            _names[name] = (entry.Tries + tries, nextAt);
            return;
        }
        if (_names.Count == MaxNames) _names.Remove(_order.Dequeue());
        _names.Add(name, (tries, nextAt));
        _order.Enqueue(name);
    }
}
