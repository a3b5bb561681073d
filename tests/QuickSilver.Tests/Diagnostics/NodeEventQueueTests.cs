using QuickSilver.Diagnostics;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Diagnostics;

public sealed class NodeEventQueueTests
{
    [Fact]
    public void Events_are_raised_one_at_a_time_in_order()
    {
        using var factory = new RecordingLoggerFactory();
        using var done = new CountdownEvent(500);
        var seen = new List<string>();
        int inside = 0;
        int together = 0;
        var queue = new NodeEventQueue(new NodeLog(factory, "node"), happened =>
        {
            if (Interlocked.Increment(ref inside) > 1) together++;
            seen.Add(((CarrierSelected)happened).Reason);
            Interlocked.Decrement(ref inside);
            done.Signal();
        });
        queue.Begin();
        for (int index = 0; index < 500; index++) queue.Post(new CarrierSelected(Carrier.Multicast, $"{index}"));
        Assert.True(done.Wait(NodeRig.Patience));
        Assert.Equal(0, together);
        Assert.Equal(Enumerable.Range(0, 500).Select(static index => $"{index}"), seen);
    }

    [Fact]
    public void Before_the_first_handler_the_newest_events_are_kept_for_it()
    {
        using var factory = new RecordingLoggerFactory();
        using var done = new CountdownEvent(NodeEventQueue.Kept + 1);
        var seen = new List<string>();
        var queue = new NodeEventQueue(new NodeLog(factory, "node"), happened =>
        {
            seen.Add(((CarrierSelected)happened).Reason);
            done.Signal();
        });
        for (int index = 0; index < 100; index++) queue.Post(new CarrierSelected(Carrier.Multicast, $"{index}"));
        queue.Begin();
        queue.Begin();
        queue.Post(new CarrierSelected(Carrier.Multicast, "100"));
        Assert.True(done.Wait(NodeRig.Patience));
        Assert.Equal(
            Enumerable.Range(100 - NodeEventQueue.Kept, NodeEventQueue.Kept + 1).Select(static index => $"{index}"),
            seen);
    }

    [Fact]
    public void What_a_handler_throws_is_logged_and_the_next_event_comes()
    {
        using var factory = new RecordingLoggerFactory();
        using var done = new CountdownEvent(2);
        var log = new NodeLog(factory, "node");
        var queue = new NodeEventQueue(log, _ =>
        {
            done.Signal();
            throw new InvalidOperationException("mine");
        });
        queue.Begin();
        queue.Post(new CarrierSelected(Carrier.Multicast, "first"));
        queue.Post(new CarrierSelected(Carrier.Multicast, "second"));
        Assert.True(done.Wait(NodeRig.Patience));
        Assert.True(
            SpinWait.SpinUntil(() => factory.Records.Count >= 2, NodeRig.Patience), "not both were logged");
        Assert.All(factory.Records, static record => Assert.Equal("mine", record.Fault!.Message));
        Assert.All(factory.Ids, static id => Assert.Equal(1_502, id));
    }
}
