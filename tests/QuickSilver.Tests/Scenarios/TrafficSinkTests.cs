using System.Diagnostics;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Tests.Scenarios;

/// <summary>What a receiver of the bench counts as measured.</summary>
public sealed class TrafficSinkTests
{
    private readonly TrafficSink _sink = new(1, MeasuredHeader.Bytes, new LoadMeter()) { RecordsAll = true };
    private long _index;

    [Fact]
    public void What_was_measured_of_the_warm_up_is_forgotten_when_the_measured_part_begins()
    {
        Receive(RunPhase.WarmUp, 5, TimeSpan.FromHours(1));
        Receive(RunPhase.Measured, 3, TimeSpan.Zero);
        Receive(RunPhase.CoolDown, 2, TimeSpan.FromHours(1));
        Assert.Equal((10, 3, 0), (_sink.Delivered, _sink.Measured, _sink.Skipped + _sink.OutOfOrder + _sink.Damaged));
        Assert.Equal(3, _sink.Latency!.Count);
        Assert.InRange(_sink.Latency.Max, 0, TimeSpan.FromMinutes(30).TotalMicroseconds);
        Assert.InRange(_sink.Duration, TimeSpan.Zero, TimeSpan.FromMinutes(30));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_run_that_never_came_to_its_measured_part_has_measured_nothing(bool hasCooledDown)
    {
        Receive(RunPhase.WarmUp, 5, TimeSpan.Zero);
        if (hasCooledDown) Receive(RunPhase.CoolDown, 5, TimeSpan.Zero);
        Assert.Equal((0, TimeSpan.Zero, 0), (_sink.Measured, _sink.Duration, _sink.Rate));
        Assert.Null(_sink.Latency);
    }

    private void Receive(RunPhase phase, int count, TimeSpan age)
    {
        byte[] payload = new byte[MeasuredHeader.Bytes];
        for (int message = 0; message < count; message++)
        {
            new MeasuredHeader(
                0, phase, ++_index, Stopwatch.GetTimestamp() - (long)(age.TotalSeconds * Stopwatch.Frequency)).Write(
                    payload);
            _sink.Receive(payload);
        }
    }
}
