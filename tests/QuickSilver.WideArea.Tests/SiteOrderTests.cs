using System.Text;
using QuickSilver.Bench.Shaping;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.WideArea.Tests;

/// <summary>One order of messages at all members of several sites, on sockets.</summary>
public sealed class SiteOrderTests
{
    private static readonly WayShape Far = new()
    {
        Delay = TimeSpan.FromMilliseconds(10),
        Jitter = TimeSpan.FromMilliseconds(3),
        Loss = 0.05,
    };

    [Fact]
    public async Task Members_of_two_sites_deliver_one_order()
    {
        await using SiteRig rig = await StartAsync(("berlin", "tokyo"));
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Members["berlin"]);
        await using OrderReader other = await OrderReader.JoinAsync(await rig.StartNodeAsync("berlin"));
        await using OrderReader tokyo = await OrderReader.JoinAsync(rig.Members["tokyo"], OrderedLevel.Safe);
        const int Count = 300;
        await Task.WhenAll(
            berlin.SendAsync("b", Count), other.SendAsync("o", Count), tokyo.SendAsync("t", Count));
        foreach (OrderReader reader in new[] { berlin, other, tokyo }) await reader.UntilAsync(3 * Count);
        AssertOneOrder(berlin, other, tokyo);
        Assert.Distinct(berlin.Texts);
        foreach (string name in new[] { "b", "o", "t" })
        {
            Assert.Equal(
                Enumerable.Range(0, Count).Select(number => $"{(number % 2 == 0 ? "even" : "odd")} {name} {number}"),
                berlin.Texts.Where(text => text.Contains($" {name} ", StringComparison.Ordinal)));
        }
        SiteOrderedMessage one = tokyo.Messages.First(static message => message.Origin.Site == "berlin");
        Assert.Contains(one.Origin.Sender, new[] { rig.Members["berlin"].Id, other.Messages[0].Origin.Sender }
            .Concat(berlin.Messages.Select(static message => message.Origin.Sender)));
        Assert.Equal(0, tokyo.Order.GetStatistics().Rejected);
        Assert.True(rig.Gateways["berlin"].GetStatistics().Order is { HasBegun: true, Site: "berlin" });
    }

    [Fact]
    public async Task Three_sites_in_a_row_deliver_one_order_over_ways_that_lose()
    {
        await using SiteRig rig = await StartAsync(Far, ("berlin", "oslo"), ("oslo", "tokyo"));
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Members["berlin"]);
        await using OrderReader oslo = await OrderReader.JoinAsync(rig.Members["oslo"]);
        await using OrderReader tokyo = await OrderReader.JoinAsync(rig.Members["tokyo"]);
        const int Count = 300;
        await Task.WhenAll(berlin.SendAsync("b", Count), oslo.SendAsync("o", Count), tokyo.SendAsync("t", Count));
        await UntilAllAsync(rig, 3 * Count, berlin, oslo, tokyo);
        AssertOneOrder(berlin, oslo, tokyo);
        Assert.Distinct(berlin.Texts);
    }

    [Fact]
    public async Task A_member_that_joins_late_has_the_rest_of_the_order()
    {
        await using SiteRig rig = await StartAsync(("berlin", "tokyo"));
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Members["berlin"]);
        await using OrderReader tokyo = await OrderReader.JoinAsync(rig.Members["tokyo"]);
        const int Count = 1000;
        Task sending = Task.WhenAll(berlin.SendAsync("b", Count), tokyo.SendAsync("t", Count));
        await berlin.UntilAsync(100);
        await using OrderReader late = await OrderReader.JoinAsync(await rig.StartNodeAsync("tokyo"));
        await sending;
        await late.SendAsync("late", 1);
        await berlin.UntilAsync((2 * Count) + 1);
        await SiteRig.UntilAsync(
            () => late.Texts.Contains("even late 0"), () => $"its own: {late.Order.GetStatistics()}");
        Assert.InRange(late.Count, 1, 2 * Count);
        AssertOneOrder(berlin, tokyo, late);
    }

    [Fact]
    public async Task A_node_is_in_the_order_once()
    {
        await using SiteRig rig = await StartAsync(("berlin", "tokyo"));
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Members["berlin"]);
        await Assert.ThrowsAsync<InvalidOperationException>(() => SiteOrder.JoinAsync(rig.Members["berlin"]));
        await Assert.ThrowsAsync<InvalidOperationException>(
            () => SiteOrder.JoinAsync(rig.Gateways["tokyo"].Node));
        await berlin.SendAsync("b", 1);
        await berlin.UntilAsync(1);
    }

    [Fact]
    public async Task A_cut_holds_the_order_up_and_then_it_goes_on()
    {
        await using SiteRig rig = await StartAsync(("berlin", "tokyo"));
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Members["berlin"]);
        await using OrderReader tokyo = await OrderReader.JoinAsync(rig.Members["tokyo"]);
        await berlin.SendAsync("before", 1);
        await tokyo.UntilAsync(1);
        await berlin.UntilAsync(1);
        rig.Shape(new WayShape { IsCut = true });
        await SiteRig.UntilAsync(
            () => rig.Gateways["berlin"].GetStatistics().Routes[0].Via is null, () => "the cut is seen");
        await Task.WhenAll(berlin.SendAsync("b", 100), tokyo.SendAsync("t", 100));
        await SiteRig.UntilAsync(
            () => berlin.Order.GetStatistics() is { WaitsFor: "tokyo", Waiting: >= 99 },
            () => $"berlin waits: {berlin.Order.GetStatistics()}");
        // What tokyo has told lets one more pass: of equal stamps berlin's comes first.
        Assert.InRange(berlin.Count, 1, 2);
        rig.Shape(WayShape.Clear);
        await berlin.UntilAsync(201);
        await tokyo.UntilAsync(201);
        AssertOneOrder(berlin, tokyo);
    }

    [Fact]
    public async Task Sends_wait_for_a_site_that_cannot_be_reached_and_name_it()
    {
        await using SiteRig rig = await StartAsync(("berlin", "tokyo"));
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Members["berlin"]);
        await using OrderReader tokyo = await OrderReader.JoinAsync(rig.Members["tokyo"]);
        await berlin.SendAsync("before", 1);
        await berlin.UntilAsync(1);
        rig.Shape(new WayShape { IsCut = true });
        int sent = 0;
        using var limit = new CancellationTokenSource();
        var payload = new byte[50_000];
        Task<OperationCanceledException> sending = Assert.ThrowsAsync<OperationCanceledException>(async () =>
        {
            for (; sent < 10_000; sent++) await berlin.Order.SendAsync("bulk", payload, limit.Token);
        });
        (int Sent, long Since) stands = default;
        await SiteRig.UntilAsync(
            () =>
            {
                if (Volatile.Read(ref sent) is var now && now != stands.Sent) stands = (now, Environment.TickCount64);
                bool isStill = Environment.TickCount64 - stands.Since > 2_000;
                return isStill && berlin.Order.GetStatistics().Unacknowledged >= 168;
            },
            () => $"8 MiB wait: {sent}, {berlin.Order.GetStatistics()}");
        await limit.CancelAsync();
        Assert.Contains("'tokyo'", (await sending).Message, StringComparison.Ordinal);
        rig.Shape(WayShape.Clear);
        await tokyo.UntilAsync(sent + 1);
        await Assert.ThrowsAsync<PayloadTooLargeException>(
            () => berlin.Order.SendAsync("bulk", new byte[SiteOrder.LongestMessage + 1]).AsTask());
    }

    [Fact]
    public async Task A_gateway_that_dies_under_traffic_changes_no_order_and_loses_nothing()
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync(
            shape: Far, change: static options => options.OrdersGroups = true);
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Cluster("berlin")["member"]);
        await using OrderReader tokyo = await OrderReader.JoinAsync(rig.Cluster("tokyo")["member"]);
        const int Count = 1500;
        Task sending = Task.WhenAll(berlin.SendAsync("b", Count), tokyo.SendAsync("t", Count));
        await tokyo.UntilAsync(200);
        await rig.CrashAsync("berlin", 0);
        await sending;
        await berlin.UntilAsync(2 * Count);
        await tokyo.UntilAsync(2 * Count);
        AssertOneOrder(berlin, tokyo);
        Assert.Distinct(tokyo.Texts);
        Assert.Equal(2 * Count, tokyo.Count);
    }

    // A failure says how the order is at all members and gateways.
    internal static Task UntilAllAsync(SiteRig rig, int count, params OrderReader[] readers) => SiteRig.UntilAsync(
        () => readers.All(reader => reader.Count >= count),
        () => string.Join(
            Environment.NewLine,
            readers.Select(static reader => $"{reader.Count}, {reader.Order.GetStatistics()}")
                .Concat(rig.Gateways.Values.Select(static gateway => $"{gateway.GetStatistics()}"))));

    // The members' orders end with the same, and each is a part of the longest without a hole.
    internal static void AssertOneOrder(params OrderReader[] readers)
    {
        IReadOnlyList<SiteOrderEvent>[] all = [.. readers.Select(static reader => reader.Events)];
        ulong last = all.Min(static events => events[^1].Place);
        string[][] texts = [.. all.Select(events => events.Where(told => told.Place <= last)
            .Select(static told => told is SiteOrderedMessage message
                ? $"{message.Place} {message.Group} {Encoding.UTF8.GetString(message.Payload.Span)}"
                : $"{told.Place} {string.Join(' ', ((SitesChanged)told).Sites)}").ToArray())];
        string[] longest = texts.MaxBy(static one => one.Length)!;
        Assert.All(texts, one => Assert.Equal(longest[^one.Length..], one));
    }

    [Fact]
    public async Task An_order_that_goes_on_is_not_said_to_wait()
    {
        using var log = new RecordingLoggerFactory();
        await using var rig = new SiteRig(("berlin", "tokyo"))
        {
            Change = options =>
            {
                options.OrdersGroups = true;
                options.UseLoggerFactory(log);
            },
        };
        await rig.StartAsync();
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Members["berlin"]);
        await using OrderReader tokyo = await OrderReader.JoinAsync(rig.Members["tokyo"]);
        rig.Shape(new WayShape { Delay = TimeSpan.FromMilliseconds(50) });
        int sent = 0;
        for (long start = Environment.TickCount64; Environment.TickCount64 - start < 4000; sent++)
        {
            await berlin.SendAsync("b", 1, sent);
            await Task.Delay(2);
        }
        Assert.DoesNotContain(1730, log.Ids);
        rig.Shape(new WayShape { IsCut = true });
        await berlin.SendAsync("b", 100, sent);
        await SiteRig.UntilAsync(() => log.Ids.Contains(1730), () => "the order waits for the site that is cut off");
        rig.Shape(WayShape.Clear);
        await tokyo.UntilAsync(sent + 100);
        await SiteRig.UntilAsync(() => log.Ids.Contains(1731), () => "the order goes on");
    }

    private static Task<SiteRig> StartAsync(params (string First, string Second)[] links) =>
        StartAsync(WayShape.Clear, links);

    private static async Task<SiteRig> StartAsync(WayShape shape, params (string First, string Second)[] links)
    {
        var rig = new SiteRig(links) { Change = static options => options.OrdersGroups = true };
        rig.Shape(shape);
        await rig.StartAsync();
        return rig;
    }
}
