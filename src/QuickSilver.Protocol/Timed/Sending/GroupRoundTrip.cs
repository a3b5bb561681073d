namespace QuickSilver.Protocol.Timed.Sending;

/// <summary>
/// The round trip of a group as its sender sees it: close to the slowest member's, so that waits before requests are
/// long enough for all. Rises fast and falls slowly. A field of its owner, never copied. Source: RFC 5740 (NORM),
/// section 5.5.2: peaks count three quarters; what lies below counts a quarter here.
/// </summary>
/// <param name="initial">The value before the first sample.</param>
internal struct GroupRoundTrip(TimeSpan initial)
{
    // The shortest round trip that is believed.
    private static readonly TimeSpan Shortest = TimeSpan.FromMicroseconds(100);
    // The longest round trip that is believed.
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(10);

    private bool _isMeasured;

    /// <summary>The present estimate.</summary>
    public TimeSpan Value { get; private set; } = initial;

    /// <summary>Takes a sample.</summary>
    public void Add(TimeSpan sample)
    {
        if (sample < TimeSpan.Zero) return;
        TimeSpan value = !_isMeasured ? sample
            : sample > Value ? Value + ((sample - Value) * 0.75)
            : Value + ((sample - Value) * 0.25);
        _isMeasured = true;
        Value = value < Shortest ? Shortest : value > Longest ? Longest : value;
    }
}
