using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using QuickSilver.Bench.Shaping;

namespace QuickSilver.WideArea.Tests;

/// <summary>Links that are cut, gateways that die, strangers, and sites that are slow.</summary>
public sealed class TroubleTests
{
    private static readonly WayShape Cut = new() { IsCut = true };

    [Fact]
    public async Task A_link_that_is_cut_has_another_path()
    {
        await using var rig = new SiteRig(("berlin", "oslo"), ("berlin", "tokyo"), ("oslo", "tokyo"));
        rig.Shape(new WayShape { Delay = TimeSpan.FromMilliseconds(5), Loss = 0.02 });
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected oslo = await rig.JoinAsync("oslo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        await SiteRig.UntilAsync(
            () => ViaOf(rig, "berlin", "tokyo") == "tokyo", () => "the short way to tokyo");
        const int Count = 1000;
        for (int number = 0; number < Count; number++)
        {
            if (number == Count / 4) rig.Relay("berlin", "tokyo").Shape(Cut);
            if (number == Count / 2)
            {
                await SiteRig.UntilAsync(
                    () => ViaOf(rig, "berlin", "tokyo") == "oslo", () => "the other way to tokyo");
            }
            await berlin.Group.SendAsync($"{number}");
        }
        await SiteRig.UntilAsync(
            () => tokyo.Count >= Count && oslo.Count >= Count, () => $"{Count}: {tokyo.Count}, {oslo.Count}");
        string[] expected = [.. Enumerable.Range(0, Count).Select(static number => $"{number}")];
        Assert.Equal(expected, tokyo.Texts);
        Assert.Equal(expected, oslo.Texts);
    }

    [Fact]
    public async Task A_gateway_that_was_killed_comes_back()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        await berlin.Group.SendAsync("before");
        await SiteRig.UntilAsync(() => tokyo.Count == 1, () => "the message before");
        await rig.Gateways["tokyo"].KillAsync();
        for (int number = 0; number < 100; number++) await berlin.Group.SendAsync($"meanwhile {number}");
        await rig.StartGatewayAsync("tokyo");
        await rig.WaitForSitesAsync();
        await berlin.Group.SendAsync("after");
        await SiteRig.UntilAsync(() => tokyo.Texts.Contains("after"), () => $"the last: {tokyo.Count}");
        string[] expected =
            ["before", .. Enumerable.Range(0, 100).Select(static number => $"meanwhile {number}"), "after"];
        // What the first life had not acknowledged comes again.
        Assert.Equal(expected, tokyo.Texts.Distinct());
        Assert.Equal(101, tokyo.Texts.Count(static text => text != "before"));
        // The other way, the new life begins again.
        await tokyo.Group.SendAsync("back");
        await SiteRig.UntilAsync(() => berlin.Count == 1, () => "a message back");
    }

    [Fact]
    public async Task A_second_gateway_of_a_site_waits_for_the_end_of_the_first()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        await rig.StartAsync();
        SiteGateway first = rig.Gateways["berlin"];
        await Assert.ThrowsAsync<InvalidOperationException>(
            () => SiteGateway.StartAsync(first.Node, rig.OptionsOf("berlin")));
        QuickSilverNode node = await rig.StartNodeAsync("berlin");
        Task<SiteGateway> start = SiteGateway.StartAsync(node, rig.OptionsOf("berlin"));
        await SiteRig.UntilAsync(() => node.GetStatistics().Groups > 0 || start.IsFaulted, () => "it has begun");
        Assert.False(start.IsCompleted);
        await first.DisposeAsync();
        await using SiteGateway second = await start.WaitAsync(SiteRig.Patience);
        Assert.Equal("berlin", second.Site);
    }

    [Fact]
    public async Task A_gateway_with_another_key_is_a_stranger()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.Change = options =>
        {
            if (options.Site == "tokyo")
                options.UsePreSharedKey(
                    PreSharedKey.FromBase64(Convert.ToBase64String(RandomNumberGenerator.GetBytes(32))));
        };
        using var limit = new CancellationTokenSource();
        await rig.StartAsync(waits: false);
        await SiteRig.UntilAsync(
            () => rig.Gateways.Values.All(static one => one.GetStatistics().Strangers > 10),
            () => "strangers are counted");
        Assert.All(rig.Gateways.Values, static one => Assert.Null(Assert.Single(one.GetStatistics().Routes).Via));
        // It is told at once who is missing.
        limit.Cancel();
        var refusal = await Assert.ThrowsAsync<OperationCanceledException>(
            () => rig.Gateways["berlin"].WaitForSitesAsync(limit.Token));
        Assert.Contains("tokyo", refusal.Message, StringComparison.Ordinal);
        // With the same key they meet.
        rig.Change = null;
        await rig.Gateways["tokyo"].DisposeAsync();
        await rig.StartGatewayAsync("tokyo");
        await rig.WaitForSitesAsync();
    }

    [Fact]
    public async Task A_gateway_of_another_overlay_is_refused()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.Change = static options => options.Overlay = options.Site;
        await rig.StartAsync(waits: false);
        await SiteRig.UntilAsync(
            () => rig.Gateways.Values.All(static one => one.GetStatistics().Links is [{ Rejected: > 3 }]),
            () => "the other overlay is refused");
        Assert.All(rig.Gateways.Values, static one => Assert.NotEqual(
            SiteLinkState.Up, one.GetStatistics().Links[0].State));
        rig.Change = null;
        foreach (string site in new[] { "berlin", "tokyo" })
        {
            await rig.Gateways[site].DisposeAsync();
            await rig.StartGatewayAsync(site);
        }
        await rig.WaitForSitesAsync();
    }

    [Fact]
    public async Task Junk_and_what_is_sent_again_is_counted_and_changes_nothing()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        var seen = new ConcurrentQueue<byte[]>();
        rig.Relay("berlin", "tokyo").Seen = (side, bytes) =>
        {
            if (side == 0) seen.Enqueue(bytes);
        };
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        for (int number = 0; number < 100; number++) await berlin.Group.SendAsync($"{number}");
        await SiteRig.UntilAsync(() => tokyo.Count == 100, () => "the messages");
        using var stranger = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        IPEndPoint target = rig.Gateways["tokyo"].LocalEndPoint;
        byte[][] old = [.. seen];
        var random = new Random(1);
        foreach (byte[] datagram in old)
        {
            // Sent again; with a bit of it changed; cut short; back to its sender.
            stranger.SendTo(datagram, target);
            stranger.SendTo(datagram, rig.Gateways["berlin"].LocalEndPoint);
            byte[] changed = [.. datagram];
            changed[random.Next(changed.Length)] ^= (byte)(1 << random.Next(8));
            stranger.SendTo(changed, target);
            stranger.SendTo(datagram.AsSpan(0, random.Next(datagram.Length)), target);
            var junk = new byte[random.Next(2500)];
            random.NextBytes(junk);
            stranger.SendTo(junk, target);
        }
        await SiteRig.UntilAsync(
            () => rig.Gateways["tokyo"].GetStatistics() is { Replays: > 10, Strangers: > 10, Rejected: > 10 },
            () => $"junk is counted: {rig.Gateways["tokyo"].GetStatistics()}");
        await berlin.Group.SendAsync("after");
        await SiteRig.UntilAsync(() => tokyo.Count == 101, () => "a message after");
        Assert.Equal(101, tokyo.Texts.Distinct().Count());
        Assert.Equal(0, rig.Gateways["tokyo"].GetStatistics().Links[0].Failures);
    }

    [Fact]
    public async Task A_slow_site_holds_up_its_senders_and_no_others()
    {
        await using var rig = new SiteRig(("berlin", "oslo"), ("berlin", "tokyo"));
        rig.Change = static options =>
        {
            options.Groups.Clear();
            if (options.Site != "tokyo") options.Groups.Add("fast");
            if (options.Site != "oslo") options.Groups.Add("slow");
            options.MaxWaitingBytesPerGroup = 1 << 20;
        };
        rig.Relay("berlin", "tokyo").Shape(new WayShape { BytesPerSecond = 1_500_000 });
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo", "slow");
        SiteRig.Collected oslo = await rig.JoinAsync("oslo", "fast");
        SiteRig.Collected slow = await rig.JoinAsync("berlin", "slow");
        SiteRig.Collected fast = await rig.JoinAsync("berlin", "fast");
        await using SitePressure pressure = await SitePressure.OpenAsync(rig.Members["berlin"]);
        const int Count = 1200;
        string? heldBy = null;
        var payload = new byte[10_000];
        for (int number = 0; number < Count; number++)
        {
            if (pressure.SlowSiteOf("slow") is { } site && heldBy is null)
            {
                heldBy = site;
                // Meanwhile the others go on.
                await fast.Group.SendAsync("hello oslo");
                await SiteRig.UntilAsync(() => oslo.Count == 1, () => "a message in oslo");
            }
            await pressure.WaitAsync("slow");
            BitConverter.TryWriteBytes(payload, number);
            await slow.Group.SendAsync(payload.AsMemory());
            // The pressure is told 20 times a second, or later on a busy machine: a sender that goes on until then may
            // overrun the limit. Sixty messages are more than half of it, and less than all.
            int sent = number;
            await SiteRig.UntilAsync(
                () => pressure.SlowSiteOf("slow") is not null
                    || sent - rig.Gateways["berlin"].GetStatistics().MessagesForwarded < 60,
                () => "the gateway reads, or says that it is held up");
        }
        Assert.Equal("tokyo", heldBy);
        await SiteRig.UntilAsync(() => tokyo.Count == Count, () => $"{Count}: {tokyo.Count}");
        Assert.Equal(
            Enumerable.Range(0, Count), tokyo.Messages.Select(static bytes => BitConverter.ToInt32(bytes)));
        Assert.Equal(0, rig.Gateways["berlin"].GetStatistics().MessagesMissed);
        Assert.Null(pressure.SlowSiteOf("fast"));
    }

    private static string? ViaOf(SiteRig rig, string from, string to) =>
        rig.Gateways[from].GetStatistics().Routes.Single(route => route.Site == to).Via;
}
