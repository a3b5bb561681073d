using System.Diagnostics;

namespace QuickSilver.Bench.Traffic;

/// <summary>
/// Counts and checks what a receiver gets, the same for every kind: length, every byte, order in each group, none
/// missing, none twice; rate and latency of the measured part. The warm-up is measured too, and forgotten: what
/// measures is compiled then, not in the part that counts. One thread receives; the counters may be read by others.
/// </summary>
internal sealed class TrafficSink(int groups, int size, LoadMeter meter)
{
    private const int SampleEvery = 64;

    private readonly long[] _lastByGroup = new long[groups];
    private readonly LatencyHistogram _latency = new();
    private long _delivered;
    private long _measured;
    private long _firstTicks;
    private long _lastTicks;
    private RunPhase _phase;

    /// <summary>Messages so far. Any thread.</summary>
    public long Delivered => Volatile.Read(ref _delivered);

    /// <summary>Messages of the measured part.</summary>
    public long Measured => _phase == RunPhase.WarmUp ? 0 : _measured;

    /// <summary>Messages that did not have the run's length, group, head or filler.</summary>
    public long Damaged { get; private set; }

    /// <summary>Messages that came after a later one of their group, or a second time.</summary>
    public long OutOfOrder { get; private set; }

    /// <summary>Messages skipped in their group; a repeat that came late is counted under
    /// <see cref="OutOfOrder"/>.</summary>
    public long Skipped { get; private set; }

    /// <summary>Time between the first and the last measured message.</summary>
    public TimeSpan Duration => Measured < 2 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(_firstTicks, _lastTicks);

    /// <summary>Measured messages a second.</summary>
    public double Rate => Duration > TimeSpan.Zero ? (_measured - 1) / Duration.TotalSeconds : 0;

    /// <summary>Latency in the measured part: of every message at a fixed rate, of one in 64 at full speed.</summary>
    public LatencySummary? Latency => _phase == RunPhase.WarmUp ? null : _latency.Summarize();

    /// <summary>Whether every message's latency is recorded; off, one in 64.</summary>
    public bool RecordsAll { get; init; }

    /// <summary>One message has come.</summary>
    /// <param name="payload">The whole of it.</param>
    /// <returns>Its head; a head with group -1 when it is damaged.</returns>
    public MeasuredHeader Receive(ReadOnlySpan<byte> payload)
    {
        Volatile.Write(ref _delivered, _delivered + 1);
        if (payload.Length != size) return CountDamaged();
        MeasuredHeader header = MeasuredHeader.Read(payload);
        if ((uint)header.Group >= (uint)_lastByGroup.Length || !header.IsWhole(payload)) return CountDamaged();
        if (header.Phase != _phase) Enter(header.Phase);
        if (header.Phase == RunPhase.Measured || _phase == RunPhase.WarmUp) Measure(header);

        ref long last = ref _lastByGroup[header.Group];
        if (header.Index > last)
        {
            Skipped += header.Index - last - 1;
            last = header.Index;
        }
        else
        {
            OutOfOrder++;
        }
        return header;
    }

    /// <summary>The highest index received in a group, 0 for none.</summary>
    public long LastOf(int group) => _lastByGroup[group];

    /// <summary>A message named another group than it came in.</summary>
    public void CountMisdirected() => Damaged++;

    private MeasuredHeader CountDamaged()
    {
        Damaged++;
        return new MeasuredHeader(-1, _phase, 0, 0);
    }

    // At full speed the clock is read for one message in 64, and where the measured part begins and ends: reading it
    // for each would cost more than receiving a small message does.
    private void Measure(in MeasuredHeader header)
    {
        _measured++;
        if (!RecordsAll && (_measured & (SampleEvery - 1)) != 1) return;
        long now = Stopwatch.GetTimestamp();
        if (_measured == 1) _firstTicks = now;
        _lastTicks = now;
        _latency.Record(now - header.Ticks);
    }

    // Groups are not ordered among each other: at a seam, messages of both parts may come in turns. The first of each
    // part counts.
    private void Enter(RunPhase phase)
    {
        if (phase <= _phase) return;
        if (_phase == RunPhase.WarmUp)
        {
            _measured = 0;
            _latency.Clear();
        }
        _phase = phase;
        if (phase == RunPhase.Measured)
        {
            meter.Begin();
            return;
        }
        if (_measured > 0) _lastTicks = Stopwatch.GetTimestamp();
        meter.End();
    }
}
