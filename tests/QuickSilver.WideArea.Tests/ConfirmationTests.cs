using QuickSilver.Bench.Shaping;
using QuickSilver.WideArea.Telling;

namespace QuickSilver.WideArea.Tests;

/// <summary>A sender learns which sites hold its message.</summary>
public sealed class ConfirmationTests
{
    private static readonly byte[] Payload = [1, 2, 3];

    [Fact]
    public async Task All_sites_with_members_confirm()
    {
        await using var rig = new SiteRig(("berlin", "oslo"), ("oslo", "tokyo"));
        rig.Change = static options => options.PruneAfter = TimeSpan.Zero;
        rig.Shape(new WayShape { Delay = TimeSpan.FromMilliseconds(5), Loss = 0.05 });
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        using var limit = new CancellationTokenSource(SiteRig.Patience);
        await using SiteView sites = await SiteView.OpenAsync(rig.Members["berlin"]);
        await sites.WaitForMembersAsync("news", "tokyo", limit.Token);
        await SiteRig.UntilAsync(
            () => sites.Of("news").Any(static place => place is { Site: "oslo", Receives: false, IsReached: true }),
            () => "oslo is pruned");
        for (int number = 1; number <= 10; number++)
        {
            SiteConfirmation receipt = await sites.SendConfirmedAsync(berlin.Group, Payload, limit.Token);
            Assert.True(receipt.IsHeldByAll, $"{receipt.Result}: {string.Join(", ", receipt.Sites)}");
            Assert.Equal(["tokyo"], receipt.Holding);
            Assert.Equal((ulong)number, receipt.Own.Sequence);
            // Held, so it is in the member's inbox or on its way to the handler.
            await SiteRig.UntilAsync(() => tokyo.Count == number, () => "the message in tokyo");
        }
        SiteConfirmation[] many = await Task.WhenAll(Enumerable.Range(0, 50).Select(
            _ => sites.SendConfirmedAsync(berlin.Group, Payload, limit.Token)));
        Assert.All(many, static receipt => Assert.True(receipt.IsHeldByAll));
    }

    [Fact]
    public async Task A_site_that_is_cut_off_is_named()
    {
        await using var rig = new SiteRig(("berlin", "oslo"), ("berlin", "tokyo"));
        rig.Change = static options => options.HoldTime = TimeSpan.FromSeconds(4);
        await rig.StartAsync();
        await rig.JoinAsync("tokyo");
        await rig.JoinAsync("oslo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        using var limit = new CancellationTokenSource(SiteRig.Patience);
        await using SiteView sites = await SiteView.OpenAsync(rig.Members["berlin"]);
        await sites.WaitForMembersAsync("news", "tokyo", limit.Token);
        await sites.WaitForMembersAsync("news", "oslo", limit.Token);
        // Until both promise to acknowledge what all members hold.
        Assert.True((await sites.SendConfirmedAsync(berlin.Group, Payload, limit.Token)).IsHeldByAll);
        rig.Relay("berlin", "tokyo").Shape(new WayShape { IsCut = true });
        using var soon = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        var late = await Assert.ThrowsAsync<OperationCanceledException>(
            () => sites.SendConfirmedAsync(berlin.Group, Payload, soon.Token));
        Assert.Contains("The own site holds", late.Message, StringComparison.Ordinal);
        SiteConfirmation receipt = await sites.SendConfirmedAsync(berlin.Group, Payload, limit.Token);
        Assert.False(receipt.IsHeldByAll);
        Assert.Equal(["oslo"], receipt.Holding);
        Assert.Equal([new SiteReceipt("tokyo", SiteReceiptState.Unreachable)],
            receipt.Sites.Where(static site => site.State != SiteReceiptState.Held));
    }

    [Fact]
    public async Task What_does_not_leave_the_site_is_said()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        await rig.StartAsync();
        QuickSilverNode node = rig.Gateways["berlin"].Node;
        using var limit = new CancellationTokenSource(SiteRig.Patience);
        await using Group other = await rig.Members["berlin"].JoinAsync("other");
        await using SiteView sites = await SiteView.OpenAsync(rig.Members["berlin"]);
        SiteConfirmation receipt = await sites.SendConfirmedAsync(other, Payload, limit.Token);
        Assert.Equal(SiteConfirmationResult.NotSpanning, receipt.Result);
        Assert.False(receipt.IsHeldByAll);
        await using Group beside = await node.JoinAsync("news");
        await using SiteView own = await SiteView.OpenAsync(node);
        receipt = await own.SendConfirmedAsync(beside, Payload, limit.Token);
        Assert.Equal(SiteConfirmationResult.NotForwarded, receipt.Result);
        await SiteRig.UntilAsync(() => own.HasGateway, () => "a view beside the gateway");
    }

    [Fact]
    public async Task Without_a_gateway_it_is_said_so()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        QuickSilverNode node = await rig.StartNodeAsync("berlin");
        await using Group group = await node.JoinAsync(SiteTelling.GroupName);
        var question = new OpenQuestion(new AskBody(1, 1, "news"), TimeSpan.FromMilliseconds(600));
        using var limit = new CancellationTokenSource(SiteRig.Patience);
        Assert.Equal(
            SiteConfirmationResult.NoGateway, await question.AskAsync(group, static () => 0, limit.Token));
        Assert.Empty(question.Sites);
    }

    [Fact]
    public void What_a_site_held_once_it_holds()
    {
        var question = new OpenQuestion(new AskBody(1, 1, "news"), TimeSpan.Zero);
        question.OnAnswer(new AnswerBody(1, null, [new("oslo", SiteReceiptState.Held), new("rome", default)]));
        // Of the gateway that took over.
        question.OnAnswer(new AnswerBody(
            1, SiteConfirmationResult.Told,
            [new("oslo", SiteReceiptState.Unknown), new("tokyo", SiteReceiptState.Held)]));
        Assert.Equal(
            [new("oslo", SiteReceiptState.Held), new SiteReceipt("tokyo", SiteReceiptState.Held)], question.Sites);
    }

    [Theory]
    [InlineData(TakeoverRig.Berlin)]
    [InlineData(TakeoverRig.Tokyo)]
    public async Task A_gateway_that_takes_over_answers(string site)
    {
        await using TakeoverRig rig = await TakeoverRig.StartAsync(
            gatewaysInTokyo: 2, shape: new WayShape { Delay = TimeSpan.FromMilliseconds(20) });
        QuickSilverNode node = rig.Cluster(TakeoverRig.Berlin)["member"];
        await using SiteView sites = await SiteView.OpenAsync(node);
        using var limit = new CancellationTokenSource(SiteRig.Patience);
        await sites.WaitForMembersAsync("news", TakeoverRig.Tokyo, limit.Token);
        Group group = rig.Members[TakeoverRig.Berlin].Group;
        int done = 0;
        bool isOver = false;
        Task<int> sending = Task.Run(async () =>
        {
            int sent = 0;
            for (; !Volatile.Read(ref isOver); sent++)
            {
                SiteConfirmation receipt = await sites.SendConfirmedAsync(group, Payload, limit.Token);
                Assert.True(receipt.IsHeldByAll, $"{receipt.Result}: {string.Join(", ", receipt.Sites)}");
                Volatile.Write(ref done, sent + 1);
            }
            return sent;
        });
        await SiteRig.UntilAsync(() => Volatile.Read(ref done) > 20 || sending.IsFaulted, () => "confirmations");
        await rig.CrashAsync(site, 0);
        await rig.WaitForActiveAsync(site, 1);
        int before = Volatile.Read(ref done);
        await SiteRig.UntilAsync(
            () => Volatile.Read(ref done) > before + 20 || sending.IsFaulted, () => "confirmations after it");
        Volatile.Write(ref isOver, true);
        int count = await sending;
        await SiteRig.UntilAsync(
            () => rig.Members[TakeoverRig.Tokyo].Count >= count, () => $"{count} messages in tokyo");
    }
}
