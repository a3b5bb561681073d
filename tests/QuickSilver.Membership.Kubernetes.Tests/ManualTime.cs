namespace QuickSilver.Membership.Kubernetes.Tests;

/// <summary>A clock that a test sets: the monotonic one, and apart from it the time of day.</summary>
internal sealed class ManualTime : TimeProvider
{
    private long _ticks;

    /// <summary>The time of day, which no election depends on.</summary>
    public DateTimeOffset Day { get; set; } = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Volatile.Read(ref _ticks);

    public override DateTimeOffset GetUtcNow() => Day;

    public void Pass(TimeSpan time) => Interlocked.Add(ref _ticks, time.Ticks);
}
