using System.Reflection;
using Microsoft.Extensions.Logging;
using QuickSilver.Diagnostics;

namespace QuickSilver.Tests.Diagnostics;

public sealed class NodeLogTests
{
    [Fact]
    public async Task Records_are_written_in_order_on_another_thread()
    {
        using var factory = new RecordingLoggerFactory();
        var log = new NodeLog(factory, "node");
        for (int index = 0; index < 100; index++)
            log.Post(index, static (logger, number) => Log.RecordsDropped(logger, number));
        await log.FlushAsync();
        Assert.Equal(
            Enumerable.Range(0, 100).Select(static index => $"{index}"),
            factory.Records.Select(static record => record.Text.Split(' ')[0]));
    }

    [Fact]
    public async Task What_does_not_fit_is_dropped_and_the_number_is_logged()
    {
        using var blocked = new ManualResetEventSlim();
        using var factory = new RecordingLoggerFactory(() => blocked.Wait());
        var log = new NodeLog(factory, "node");
        for (int index = 0; index < 3_000; index++)
            log.Post(index, static (logger, number) => Log.NodeStopped(logger, $"{number}"));
        blocked.Set();
        await log.FlushAsync();
        // The writer may begin after the first were dropped: then the number comes in two parts.
        var reports = factory.Records.Where(static record => record.Id.Id == 1006).ToList();
        int dropped = reports.Sum(static record => int.Parse(record.Text.Split(' ')[0], null));
        Assert.InRange(reports.Count, 1, 2);
        Assert.Equal(3_000, factory.Records.Count - reports.Count + dropped);
        Assert.InRange(factory.Records.Count - reports.Count, 1_024, 1_026);
    }

    [Fact]
    public async Task A_provider_that_throws_does_not_stop_the_log()
    {
        int calls = 0;
        using var factory = new RecordingLoggerFactory(() => throw new InvalidOperationException($"call {++calls}"));
        var log = new NodeLog(factory, "node");
        log.Post(1, static (logger, number) => Log.RecordsDropped(logger, number));
        log.Post(2, static (logger, number) => Log.RecordsDropped(logger, number));
        await log.FlushAsync();
        Assert.Equal(2, calls);
    }

    [Fact]
    public void Event_ids_are_unique_and_in_the_documented_ranges()
    {
        LoggerMessageAttribute[] messages =
        [
            .. typeof(Log).GetMethods(BindingFlags.Static | BindingFlags.Public)
                .Select(static method => method.GetCustomAttribute<LoggerMessageAttribute>())
                .OfType<LoggerMessageAttribute>(),
        ];
        Assert.NotEmpty(messages);
        Assert.Equal(messages.Length, messages.Select(static message => message.EventId).Distinct().Count());
        Assert.All(messages, static message => Assert.InRange(message.EventId, 1_000, 1_599));
    }

    [Fact]
    public void Error_codes_lie_in_the_same_ranges()
    {
        Assert.All(Enum.GetValues<ErrorCode>(), static code => Assert.InRange((int)code, 1_000, 1_599));
    }
}
