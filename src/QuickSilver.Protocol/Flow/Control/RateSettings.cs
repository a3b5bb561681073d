namespace QuickSilver.Protocol.Flow.Control;

/// <summary>How <see cref="RateControl"/> paces a stream, in packets per second.</summary>
internal sealed record RateSettings
{
    /// <summary>How much time without sending may be made up for in one burst. A train is always allowed.</summary>
    public static readonly TimeSpan CatchUp = TimeSpan.FromMilliseconds(10);

    /// <summary>
    /// True: always at <see cref="Initial"/>, as in the papers' runs. False: the rate follows the window.
    /// </summary>
    public bool Fixed { get; init; }

    /// <summary>The rate before the first feedback, or always when <see cref="Fixed"/>.</summary>
    public double Initial { get; init; } = 10_000;

    /// <summary>The slowest rate that following the window may lead to.</summary>
    public double Min { get; init; } = 100;

    /// <summary>The fastest; 0: no limit.</summary>
    public double Max { get; init; }
}
