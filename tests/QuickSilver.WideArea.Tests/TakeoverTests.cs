using QuickSilver.Bench.Shaping;

namespace QuickSilver.WideArea.Tests;

/// <summary>Several gateways a site: one is active, another takes over, and nothing is lost on the way out.</summary>
public sealed class TakeoverTests
{
    private const string Berlin = TakeoverRig.Berlin;
    private const string Tokyo = TakeoverRig.Tokyo;
    private const int Before = 1000;

    private static readonly WayShape Far = new()
    {
        Delay = TimeSpan.FromMilliseconds(10),
        Jitter = TimeSpan.FromMilliseconds(2),
        Loss = 0.02,
    };

    [Fact]
    public async Task Another_takes_over_from_a_gateway_that_is_killed_under_traffic()
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync(shape: Far);
        Assert.False(rig.Gateway(Berlin, 1).GetStatistics().IsActive);
        (int out_, int in_) = await RunAsync(rig, () => rig.CrashAsync(Berlin, 0), Berlin, 1);
        string[] outwards = [.. rig.Members[Tokyo].Texts];
        Assert.Equal(Numbers(out_), outwards);
        AssertInOrder(in_, rig.Members[Berlin].Texts);
        Assert.Equal(0, rig.Gateway(Berlin, 1).GetStatistics().MessagesLetGo);
    }

    [Fact]
    public async Task Another_takes_over_from_a_gateway_that_ends_and_nothing_comes_twice()
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync(shape: Far);
        (int out_, int in_) = await RunAsync(
            rig, () => rig.Gateway(Berlin, 0).DisposeAsync().AsTask(), Berlin, 1);
        Assert.Equal(Numbers(out_), rig.Members[Tokyo].Texts);
        Assert.Equal(Numbers(in_), rig.Members[Berlin].Texts);
    }

    [Fact]
    public async Task One_that_was_killed_comes_back_and_stands_by_until_it_is_needed()
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync(gatewaysInTokyo: 2, shape: Far);
        (int out_, int in_) = await RunAsync(
            rig,
            async () =>
            {
                await rig.CrashAsync(Berlin, 0);
                await rig.WaitForActiveAsync(Berlin, 1);
                await rig.StartGatewayAsync(Berlin, 0);
                Assert.False(rig.Gateway(Berlin, 0).GetStatistics().IsActive);
                using var limit = new CancellationTokenSource(10);
                var waits = await Assert.ThrowsAsync<OperationCanceledException>(
                    () => rig.Gateway(Berlin, 0).WaitForActiveAsync(limit.Token));
                Assert.Contains(TakeoverRig.NodeOf(1), waits.Message, StringComparison.Ordinal);
                // What it was not there for reaches tokyo before the other dies.
                int sent = rig.Members[Tokyo].Count;
                await SiteRig.UntilAsync(() => rig.Members[Tokyo].Count > sent + 2000, () => "more in tokyo");
                await rig.CrashAsync(Berlin, 1);
            },
            Berlin, 0);
        Assert.Equal(Numbers(out_), rig.Members[Tokyo].Texts);
        AssertInOrder(in_, rig.Members[Berlin].Texts);
        await rig.Gateway(Berlin, 0).WaitForActiveAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task A_gateway_whose_node_was_evicted_stands_by_for_the_one_that_took_over()
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync(shape: Far);
        (int out_, int in_) = await RunAsync(rig, () => rig.Cluster(Berlin).CutAsync(TakeoverRig.NodeOf(0)), Berlin, 1);
        AssertInOrder(in_, rig.Members[Berlin].Texts);
        AssertInOrder(out_, rig.Members[Tokyo].Texts);
        await rig.Cluster(Berlin).HealAsync();
        await SiteRig.UntilAsync(
            () => !rig.Gateway(Berlin, 0).GetStatistics().IsActive, () => "the one that was evicted stands by");
        int before = rig.Members[Tokyo].Count;
        await rig.Members[Berlin].Group.SendAsync("after");
        await SiteRig.UntilAsync(() => rig.Members[Tokyo].Count > before, () => "a message after");
        Assert.True(rig.Gateway(Berlin, 1).GetStatistics().IsActive);
        Assert.Equal("after", rig.Members[Tokyo].Texts[^1]);
    }

    [Theory]
    [InlineData(Berlin)]
    [InlineData(Tokyo)]
    public async Task Another_takes_over_from_a_gateway_with_a_link_by_tcp_that_is_killed(string site)
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync(gatewaysInTokyo: 2, isTcp: true);
        (int out_, int in_) = await RunAsync(rig, () => rig.CrashAsync(site, 0), site, 1);
        AssertInOrder(out_, rig.Members[Tokyo].Texts);
        AssertInOrder(in_, rig.Members[Berlin].Texts);
    }

    [Theory]
    [InlineData(Berlin)]
    [InlineData(Tokyo)]
    public async Task Another_takes_over_from_a_gateway_with_a_link_by_tcp_whose_node_was_evicted(string site)
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync(gatewaysInTokyo: 2, isTcp: true);
        (int out_, int in_) = await RunAsync(rig, () => rig.Cluster(site).CutAsync(TakeoverRig.NodeOf(0)), site, 1);
        AssertInOrder(out_, rig.Members[Tokyo].Texts);
        AssertInOrder(in_, rig.Members[Berlin].Texts);
        await rig.Cluster(site).HealAsync();
        await SiteRig.UntilAsync(
            () => !rig.Gateway(site, 0).GetStatistics().IsActive, () => "the one that was evicted stands by");
    }

    [Fact]
    public async Task A_gateway_without_another_goes_on_after_an_eviction()
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync(shape: Far);
        await rig.Gateway(Berlin, 1).DisposeAsync();
        await rig.Cluster(Berlin).CutAsync(TakeoverRig.NodeOf(0));
        MemberId before = rig.Gateway(Berlin, 0).Node.Id;
        await SiteRig.UntilAsync(
            () => rig.Members[Berlin].Group.View is { MemberCount: 1 }, () => "the gateway's node is evicted");
        for (int number = 0; number < 100; number++) await rig.Members[Tokyo].Group.SendAsync($"{number}");
        await rig.Cluster(Berlin).HealAsync();
        await rig.WaitForAllAsync(Berlin, 100);
        Assert.NotEqual(before, rig.Gateway(Berlin, 0).Node.Id);
        Assert.Equal(1, rig.Gateway(Berlin, 0).GetStatistics().Links[0].Ups);
    }

    [Fact]
    public async Task One_that_stands_by_lets_go_what_other_sites_hold()
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync();
        SiteGateway other = rig.Gateway(Berlin, 1);
        for (int number = 0; number < Before; number++) await rig.Members[Berlin].Group.SendAsync($"{number}");
        await rig.WaitForAllAsync(Tokyo, Before);
        await SiteRig.UntilAsync(
            () => other.GetStatistics() is { MessagesKept: 0 }, () => $"nothing is kept: {other.GetStatistics()}");
        Assert.Equal(0, other.GetStatistics().MessagesForwarded);
        // A link that is up follows the gateway that answers: nothing more is sent to the other.
        long before = rig.Way(1, 0).Received;
        for (int number = Before; number < 2 * Before; number++) await rig.Members[Berlin].Group.SendAsync($"{number}");
        await rig.WaitForAllAsync(Tokyo, 2 * Before);
        Assert.Equal(before, rig.Way(1, 0).Received);
        using var limit = new CancellationTokenSource(10);
        var waits = await Assert.ThrowsAsync<OperationCanceledException>(() => other.WaitForSitesAsync(limit.Token));
        Assert.Contains(Tokyo, waits.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_too_much_for_one_that_stands_by_is_let_go_and_counted()
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync(
            shape: new WayShape { IsCut = false, Delay = TimeSpan.FromMilliseconds(1) },
            change: static options => options.MaxWaitingBytesPerGroup = 1 << 16);
        await rig.CutAsync();
        SiteGateway other = rig.Gateway(Berlin, 1);
        var payload = new byte[1000];
        for (int number = 0; number < 200; number++) await rig.Members[Berlin].Group.SendAsync(payload.AsMemory());
        await SiteRig.UntilAsync(
            () => other.GetStatistics() is { MessagesLetGo: > 100, MessagesKept: > 0 },
            () => $"some are let go: {other.GetStatistics()}");
    }

    // Sends from both sites, has something happen, and goes on until a gateway has taken over and all is there.
    private static async Task<(int Out, int In)> RunAsync(
        TakeoverRig rig, Func<Task> happens, string site, int successor)
    {
        var stop = new TaskCompletionSource();
        Task<int> outwards = rig.SendUntilAsync(Berlin, stop.Task), inwards = rig.SendUntilAsync(Tokyo, stop.Task);
        await SiteRig.UntilAsync(
            () => rig.Members[Tokyo].Count > Before && rig.Members[Berlin].Count > Before, () => "messages");
        await happens();
        await rig.WaitForActiveAsync(site, successor);
        int count = rig.Members[Tokyo].Count;
        await SiteRig.UntilAsync(() => rig.Members[Tokyo].Count > count + Before, () => "more messages");
        stop.SetResult();
        int sentOut = await outwards, sentIn = await inwards;
        await rig.WaitForAllAsync(Tokyo, sentOut);
        await rig.WaitForAllAsync(Berlin, sentIn);
        return (sentOut, sentIn);
    }

    // In order, but for what was published twice: such a part begins again once with each gateway that takes over.
    private static void AssertInOrder(int count, IReadOnlyList<string> texts)
    {
        Assert.Equal(Numbers(count), texts.Distinct());
        int[] numbers = [.. texts.Select(int.Parse)];
        int backwards = numbers.Zip(numbers.Skip(1)).Count(static pair => pair.Second <= pair.First);
        Assert.InRange(backwards, 0, 2);
    }

    private static string[] Numbers(int count) => [.. Enumerable.Range(0, count).Select(static number => $"{number}")];
}
