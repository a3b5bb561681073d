using System.Diagnostics;
using HdrHistogram;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Rounds;

/// <summary>
/// Latency by echo, of all receivers together: half of a round trip, and what the sender was late with the message.
/// The sender's thread calls <see cref="OnSent"/>, its node's core thread <see cref="OnEcho"/>, a third thread
/// <see cref="Take"/> between rounds.
/// </summary>
/// <param name="shape">Of the rounds.</param>
/// <param name="groups">How many.</param>
/// <param name="sender">Whose echoes count.</param>
internal sealed class RoundEcho(RoundShape shape, int groups, int sender)
{
    private const long LongestNanos = 60_000_000_000;
    private const int Digits = 3;

    private readonly Lock _lock = new();
    private readonly LongHistogram _latency = new(LongestNanos, Digits);
    private readonly long[] _lateness = new long[shape.Messages];

    /// <summary>A message was made that will be echoed.</summary>
    /// <param name="number">In its round.</param>
    /// <param name="late">Stopwatch ticks after it was due.</param>
    public void OnSent(int number, long late) => Volatile.Write(ref _lateness[number], late);

    /// <summary>An echo has come, to every sender.</summary>
    public void OnEcho(in MeasuredHeader header)
    {
        if (header.Group / groups != sender) return;
        long now = Stopwatch.GetTimestamp();
        long late = Volatile.Read(ref _lateness[shape.NumberOf(header.Group % groups, header.Index)]);
        double ticks = late + ((now - header.Ticks - late) / 2.0);
        long nanos = (long)(ticks * 1e9 / Stopwatch.Frequency);
        lock (_lock) _latency.RecordValue(Math.Clamp(nanos, 1, LongestNanos));
    }

    /// <summary>What was met since the last time.</summary>
    public IReadOnlyList<LatencyCount> Take()
    {
        lock (_lock)
        {
            LatencyCount[] met = [.. _latency.RecordedValues()
                .Select(value => new LatencyCount(value.ValueIteratedTo, value.CountAtValueIteratedTo))];
            _latency.Reset();
            return met;
        }
    }
}
