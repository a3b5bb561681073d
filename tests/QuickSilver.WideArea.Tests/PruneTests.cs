namespace QuickSilver.WideArea.Tests;

/// <summary>Sites get a group's messages while members are there.</summary>
public sealed class PruneTests
{
    [Fact]
    public async Task A_site_without_members_gets_nothing_and_forwards()
    {
        await using var rig = new SiteRig(("berlin", "oslo"), ("oslo", "tokyo"));
        rig.Change = static options => options.PruneAfter = TimeSpan.FromMilliseconds(100);
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        await UntilPrunedAsync(rig, berlin.Group, "oslo");
        // Until tokyo is known to have a member, nothing needs to come.
        await SiteRig.UntilAsync(() => Send() && tokyo.Count > 0, () => "a message in tokyo");
        long oslo = rig.Gateways["oslo"].GetStatistics().MessagesPublished;
        for (int number = 0; number < 100; number++) await berlin.Group.SendAsync($"{number}");
        await SiteRig.UntilAsync(() => tokyo.Texts.Contains("99"), () => "the last in tokyo");
        Assert.Equal(
            Enumerable.Range(0, 100).Select(static number => $"{number}"),
            tokyo.Texts.Where(static text => text != "try"));
        Assert.Equal(oslo, rig.Gateways["oslo"].GetStatistics().MessagesPublished);

        bool Send() => berlin.Group.TrySend("try"u8) == SendStatus.Accepted;
    }

    [Fact]
    public async Task A_site_whose_member_comes_back_is_sent_to_again_and_told_of_no_loss()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.Change = static options => options.PruneAfter = TimeSpan.Zero;
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        await SiteRig.UntilAsync(
            () => berlin.Group.TrySend("first"u8) == SendStatus.Accepted && tokyo.Count > 0, () => "a message");
        await tokyo.Group.LeaveAsync();
        await UntilPrunedAsync(rig, berlin.Group, "tokyo");
        for (int number = 0; number < 50; number++) await berlin.Group.SendAsync("for nobody");
        tokyo = await rig.JoinAsync("tokyo");
        await SiteRig.UntilAsync(
            () => berlin.Group.TrySend("again"u8) == SendStatus.Accepted && tokyo.Count > 0, () => "a message again");
        Assert.DoesNotContain("for nobody", tokyo.Texts);
        Assert.Equal(0, rig.Gateways["tokyo"].GetStatistics().RecordsLost);
    }

    // Sends until what is sent does not come to a site.
    private static async Task UntilPrunedAsync(SiteRig rig, Group group, string site)
    {
        SiteGateway own = rig.Gateways["berlin"], other = rig.Gateways[site];
        long start = Environment.TickCount64;
        while (true)
        {
            Assert.True(Environment.TickCount64 - start < SiteRig.Patience.TotalMilliseconds, $"{site} is pruned");
            long published = other.GetStatistics().MessagesPublished;
            // Figures with the second message are of a time when the first had its record.
            for (int turn = 0; turn < 2; turn++)
            {
                long sent = own.GetStatistics().MessagesForwarded;
                await group.SendAsync("try");
                await SiteRig.UntilAsync(
                    () => own.GetStatistics() is { RecordsKept: 0 } now && now.MessagesForwarded > sent,
                    () => "all that are waited for have it");
            }
            if (other.GetStatistics().MessagesPublished == published) return;
        }
    }
}
