using System.Text;
using QuickSilver.Bench.Shaping;

namespace QuickSilver.WideArea.Tests;

/// <summary>Two sites on sockets: what a member sends comes to the members of the other.</summary>
public sealed class TwoSiteTests
{
    [Fact]
    public async Task A_message_comes_to_the_other_site_and_not_back()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        await rig.StartAsync();
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        await berlin.Group.SendAsync("hello tokyo");
        await SiteRig.UntilAsync(() => tokyo.Count == 1, () => "a message in tokyo");
        await tokyo.Group.SendAsync("hello berlin");
        await SiteRig.UntilAsync(() => berlin.Count == 1, () => "a message in berlin");
        // What comes after anything that circles.
        await berlin.Group.SendAsync("end");
        await SiteRig.UntilAsync(() => tokyo.Count == 2, () => "the end in tokyo");
        Assert.Equal(["hello tokyo", "end"], tokyo.Texts);
        Assert.Equal(["hello berlin"], berlin.Texts);
        SiteGatewayStatistics now = rig.Gateways["berlin"].GetStatistics();
        Assert.Equal("tokyo", Assert.Single(now.Routes).Via);
        Assert.Equal(SiteLinkState.Up, Assert.Single(now.Links).State);
    }

    [Fact]
    public async Task Nothing_is_lost_or_doubled_or_out_of_order_at_ten_percent_loss()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.Shape(new WayShape
        {
            Delay = TimeSpan.FromMilliseconds(10),
            Jitter = TimeSpan.FromMilliseconds(3),
            Loss = 0.1,
            Duplicates = 0.02,
        });
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        const int Count = 5000;
        await Task.WhenAll(SendAsync(berlin.Group), SendAsync(tokyo.Group));
        await SiteRig.UntilAsync(
            () => tokyo.Count >= Count && berlin.Count >= Count, () => $"{Count}: {tokyo.Count}, {berlin.Count}");
        string[] expected = [.. Enumerable.Range(0, Count).Select(static number => $"message {number}")];
        Assert.Equal(expected, tokyo.Texts);
        Assert.Equal(expected, berlin.Texts);
        Assert.True(rig.Relay("berlin", "tokyo").Lost > 0);
        Assert.Equal(0, rig.Gateways["tokyo"].GetStatistics().RecordsLost);
        // The pace follows it: one that is too short looks like a queue.
        Assert.All(
            rig.Gateways.Values,
            static one => Assert.True(one.GetStatistics().Links[0].LeastRoundTrip >= TimeSpan.FromMilliseconds(20)));

        static async Task SendAsync(Group group)
        {
            for (int number = 0; number < Count; number++) await group.SendAsync($"message {number}");
        }
    }

    [Fact]
    public async Task Long_messages_come_whole()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.Shape(new WayShape { Delay = TimeSpan.FromMilliseconds(2), Loss = 0.02 });
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        int[] lengths = [0, 1, 1000, 1200, 5000, 200_000, 1_000_000, 7];
        foreach (int length in lengths) await berlin.Group.SendAsync(PatternOf(length).AsMemory());
        await SiteRig.UntilAsync(() => tokyo.Count == lengths.Length, () => $"{lengths.Length}: {tokyo.Count}");
        Assert.All(
            tokyo.Messages.Zip(lengths),
            static pair => Assert.True(PatternOf(pair.Second).AsSpan().SequenceEqual(pair.First)));
    }

    [Fact]
    public async Task Origins_are_read_where_they_are_named()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.Change = static options => options.NamesOrigins = true;
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        await berlin.Group.SendAsync("hello");
        await SiteRig.UntilAsync(() => tokyo.Count == 1, () => "a message in tokyo");
        ReadOnlyMemory<byte> body = SiteMessage.Read(tokyo.Messages[0], out SiteOrigin? origin);
        Assert.Equal("hello", Encoding.UTF8.GetString(body.Span));
        QuickSilverNode sender = rig.Members["berlin"];
        Assert.Equal(new SiteOrigin("berlin", sender.Id, sender.Name, 1), origin);
    }

    [Fact]
    public async Task A_cut_that_is_shorter_than_the_hold_time_loses_nothing()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        await berlin.Group.SendAsync("before");
        rig.Shape(new WayShape { IsCut = true });
        SiteGateway gateway = rig.Gateways["berlin"];
        for (int number = 0; number < 100; number++) await berlin.Group.SendAsync($"meanwhile {number}");
        await SiteRig.UntilAsync(
            () => gateway.GetStatistics().Routes[0].Via is null, () => "the cut is seen");
        for (int number = 100; number < 200; number++) await berlin.Group.SendAsync($"meanwhile {number}");
        rig.Shape(WayShape.Clear);
        await SiteRig.UntilAsync(() => tokyo.Count >= 201, () => $"201: {tokyo.Count}");
        Assert.Equal(
            ["before", .. Enumerable.Range(0, 200).Select(static number => $"meanwhile {number}")], tokyo.Texts);
    }

    private static byte[] PatternOf(int length)
    {
        var bytes = new byte[length];
        for (int index = 0; index < length; index++) bytes[index] = (byte)((index * 31) + (index >> 8) + length);
        return bytes;
    }
}
