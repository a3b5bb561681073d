namespace QuickSilver.Bench.Shaping;

/// <summary>
/// One direction of a way: what it loses, and when the rest comes out. Loss, then a narrow place with a queue, then the
/// delay; or the loss behind the narrow place. By a seed; one thread at a time.
/// </summary>
/// <param name="seed">Decides what is lost, and how long it takes.</param>
/// <param name="headerBytes">Added to each length that passes the narrow place.</param>
internal sealed class ShapedWay(int seed, int headerBytes)
{
    private readonly Random _random = new(seed);
    private double _freeAt;
    private double _lastOut;
    private (double From, double Until) _burst;

    /// <summary>What it does. May be changed at any time.</summary>
    public WayShape Shape { get; set; } = WayShape.Clear;

    /// <summary>A datagram goes in.</summary>
    /// <param name="now">When, in seconds of any clock; never before an earlier one.</param>
    /// <param name="length">Its bytes.</param>
    /// <returns>When it comes out; null when it is lost.</returns>
    public double? Pass(double now, int length)
    {
        WayShape shape = Shape;
        if (shape.IsCut || IsBad(shape, now)) return null;
        bool isLost = _random.NextDouble() < shape.Loss;
        if (isLost && !shape.LosesBehind) return null;
        double due = now;
        if (shape.BytesPerSecond > 0)
        {
            double start = Math.Max(now, _freeAt);
            if ((start - now) * shape.BytesPerSecond > shape.QueueBytes) return null;
            due = _freeAt = start + ((length + headerBytes) / shape.BytesPerSecond);
        }
        if (isLost) return null;
        due += shape.Delay.TotalSeconds + (shape.Jitter.TotalSeconds * _random.NextDouble());
        if (shape.KeepsOrder) due = Math.Max(due, _lastOut);
        return _lastOut = due;
    }

    /// <summary>Whether the datagram that has just passed comes twice.</summary>
    public bool Doubles() => _random.NextDouble() < Shape.Duplicates;

    private bool IsBad(WayShape shape, double now)
    {
        if (shape.BurstEvery == TimeSpan.Zero) return false;
        while (now >= _burst.Until)
        {
            double from = Math.Max(now, _burst.Until)
                + (shape.BurstEvery.TotalSeconds * (0.5 + _random.NextDouble()));
            _burst = (from, from + shape.BurstLength.TotalSeconds);
        }
        return now >= _burst.From;
    }
}
