using Microsoft.Extensions.Logging;
using QuickSilver.Diagnostics;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Runtime;
using QuickSilver.Tests.Diagnostics;
using QuickSilver.Tests.Loop;

namespace QuickSilver.Tests.Runtime;

public sealed class StallReportsTests
{
    private static readonly TimeSpan LongAfterStart = TimeSpan.FromMinutes(1);

    [Fact]
    public void Every_part_of_a_turn_is_told_by_its_name() =>
        Assert.All(
            Enum.GetValues<TurnPhase>(),
            static phase => Assert.Equal($"{phase}", $"{StallReports.ToLoopPhase(phase)}"));

    [Theory]
    [InlineData(99, LogLevel.Debug)]
    [InlineData(100, LogLevel.Warning)]
    public async Task What_held_the_core_up_for_less_than_a_tenth_of_a_second_is_for_debugging(
        int milliseconds, LogLevel level) =>
        Assert.Equal([level], await ReportAsync([(LongAfterStart, milliseconds)]));

    [Fact]
    public async Task The_first_seconds_in_which_the_runtime_compiles_are_quiet_unless_it_was_a_second()
    {
        Assert.Equal([LogLevel.Debug], await ReportAsync([(TimeSpan.FromSeconds(0.3), 400)]));
        Assert.Equal([LogLevel.Warning], await ReportAsync([(TimeSpan.FromSeconds(0.3), 1_000)]));
        Assert.Equal([LogLevel.Warning], await ReportAsync([(TimeSpan.FromSeconds(5), 400)]));
    }

    [Fact]
    public async Task A_kind_is_told_once_and_then_summed_for_a_minute_and_what_is_quiet_hides_nothing()
    {
        TimeSpan second = TimeSpan.FromSeconds(1), minute = TimeSpan.FromMinutes(1);
        Assert.Equal(
            [LogLevel.Debug, LogLevel.Warning, LogLevel.Warning],
            await ReportAsync(
                [(LongAfterStart, 20), (LongAfterStart, 200), (LongAfterStart + second, 30),
                    (LongAfterStart + second, 300), (LongAfterStart + minute, 200)]));
    }

    private static async Task<List<LogLevel>> ReportAsync((TimeSpan At, int Milliseconds)[] stalls)
    {
        using var factory = new RecordingLoggerFactory();
        var clock = new SetClock();
        var log = new NodeLog(factory, "node");
        var services = new NodeServices(
            new QuickSilverOptions(), "node", new RequestQueue(new WakeGate(new FakeSleeper())), clock, log,
            new NodeEventQueue(log, static _ => { }));
        var reports = new StallReports(services);
        foreach ((TimeSpan at, int milliseconds) in stalls)
        {
            clock.Now = Instant.Zero + at;
            reports.OnStall(TurnPhase.Io, TimeSpan.FromMilliseconds(milliseconds), clock.Now);
        }
        await log.FlushAsync();
        Assert.All(factory.Ids, static id => Assert.Equal(1007, id));
        return [.. factory.Records.Select(static record => record.Level)];
    }

    private sealed class SetClock : IClock
    {
        public Instant Now { get; set; }
    }
}
