using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// The highest rate at which the other end has received, over ten round trips. Its own counts and clock are used, so
/// acknowledgements that are lost or bunched on their way change nothing. Allocates nothing after construction.
/// </summary>
internal sealed class RateFilter
{
    /// <summary>Round trips for which a rate counts.</summary>
    public const int Rounds = 10;

    private const int Points = 16;

    private readonly double[] _highest = new double[Rounds];
    private readonly (ulong Bytes, TimeSpan Time)[] _points = new (ulong Bytes, TimeSpan Time)[Points];
    private int _round;
    private int _first;
    private int _count;

    /// <summary>Bytes a second; 0 before the first sample.</summary>
    public double Rate { get; private set; }

    /// <summary>Begins again.</summary>
    public void Clear()
    {
        Array.Clear(_highest);
        _round = _first = _count = 0;
        Rate = 0;
    }

    /// <summary>Takes what feedback says.</summary>
    /// <param name="bytes">Bytes that have come.</param>
    /// <param name="time">The other end's clock.</param>
    /// <param name="over">The time over which the rate is taken, about a round trip.</param>
    public void Add(ulong bytes, TimeSpan time, TimeSpan over)
    {
        if (_count > 0 && time <= Last.Time) return;
        int basis = -1;
        for (int index = 0; index < _count && time - At(index).Time >= over; index++) basis = index;
        if (basis >= 0)
        {
            (ulong Bytes, TimeSpan Time) old = At(basis);
            double rate = (bytes - old.Bytes) / (time - old.Time).TotalSeconds;
            if (rate > _highest[_round]) _highest[_round] = rate;
            if (rate > Rate) Rate = rate;
            // What is older than the basis serves no later sample.
            _first = (_first + basis) % Points;
            _count -= basis;
        }
        if (_count > 0 && time - Last.Time < over / (Points - 4)) return;
        if (_count == Points)
        {
            _first = (_first + 1) % Points;
            _count--;
        }
        _points[(_first + _count) % Points] = (bytes, time);
        _count++;
    }

    /// <summary>A round trip has ended: the oldest of ten is forgotten.</summary>
    public void EndRound()
    {
        _round = (_round + 1) % Rounds;
        _highest[_round] = 0;
        double rate = 0;
        foreach (double one in _highest) rate = Math.Max(rate, one);
        Rate = rate;
    }

    private (ulong Bytes, TimeSpan Time) Last => At(_count - 1);

    private (ulong Bytes, TimeSpan Time) At(int index) => _points[(_first + index) % Points];
}
