using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Api;

/// <summary>The list of membership servers: changed while a node runs, and named in full when a start fails.</summary>
[Collection(NodeCollection.Name)]
public sealed class ServerListTests
{
    [Fact]
    public async Task A_node_without_a_server_looks_at_the_new_list_at_once_and_a_connected_one_stays()
    {
        var log = new RecordingLoggerFactory();
        await using var rig = new NodeRig();
        QuickSilverNode first = await rig.StartAsync(options => Host(options, rig.Port));
        int other = NodeRig.FreePort();
        QuickSilverNode node = await rig.StartAsync(options =>
        {
            ClientOf(options, $"127.0.0.1:{rig.Port}");
            options.UseLoggerFactory(log);
        });
        Group group = await node.JoinAsync("group");
        node.ChangeMembershipServers([$"127.0.0.1:{other}"]);
        await NodeRig.UntilAsync(() => log.Ids.Contains(1_136), "the change is logged");
        Group late = await node.JoinAsync("late").WaitAsync(NodeRig.Patience);
        Assert.Equal(NodeState.Running, node.State);
        await late.DisposeAsync();

        await first.DisposeAsync();
        await NodeRig.UntilAsync(() => node.State == NodeState.MembershipLost, "the server is gone");
        await rig.StartAsync(options => Host(options, other));
        await NodeRig.UntilAsync(() => node.State == NodeState.Running, "the new server is found");
        Assert.False(group.Completion.IsCompleted);
    }

    [Fact]
    public async Task A_search_that_waits_for_a_silent_server_begins_anew_with_the_new_list()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        await using var rig = new NodeRig();
        QuickSilverNode first = await rig.StartAsync(options => Host(options, rig.Port));
        var log = new RecordingLoggerFactory();
        QuickSilverNode node = await rig.StartAsync(options =>
        {
            ClientOf(options, $"127.0.0.1:{rig.Port}");
            options.UseLoggerFactory(log);
        });
        Group group = await node.JoinAsync("group");
        await first.DisposeAsync();
        node.ChangeMembershipServers([((IPEndPoint)silent.LocalEndpoint).ToString()]);
        using Socket called = await silent.AcceptSocketAsync().WaitAsync(NodeRig.Patience);
        int other = NodeRig.FreePort();
        await rig.StartAsync(options => Host(options, other));
        node.ChangeMembershipServers([$"127.0.0.1:{other}"]);
        await NodeRig.UntilAsync(() => node.State == NodeState.Running, "the new server is found");
        Assert.False(group.Completion.IsCompleted);
    }

    [Fact]
    public async Task A_list_that_is_not_valid_is_refused_as_in_the_options_and_changes_nothing()
    {
        await using var rig = new NodeRig();
        QuickSilverNode host = await rig.StartAsync(options => Host(options, rig.Port));
        QuickSilverNode client = await rig.StartAsync(options => ClientOf(options, $"127.0.0.1:{rig.Port}"));
        foreach (string[] list in (string[][])[[], ["nowhere"], ["10.0.0.5:14999", "::1"], [null!]])
        {
            ArgumentException refusal = Assert.ThrowsAny<ArgumentException>(
                () => client.ChangeMembershipServers(list));
            Assert.Contains("Membership.Servers", refusal.Message, StringComparison.Ordinal);
        }
        Assert.Throws<ArgumentNullException>(() => client.ChangeMembershipServers(null!));
        host.ChangeMembershipServers(["127.0.0.1:1"]);
        host.ChangeMembershipServers([]);
        await using (var own = new NodeRig())
        {
            QuickSilverNode loopback = await own.StartAsync();
            Assert.Throws<ArgumentException>(() => loopback.ChangeMembershipServers(["10.0.0.5:14999"]));
            loopback.ChangeMembershipServers([]);
        }
        await client.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(() => client.ChangeMembershipServers(["127.0.0.1:1"]));
    }

    [Fact]
    public async Task A_start_that_fails_names_every_server_and_what_came_of_it()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        string first = ((IPEndPoint)silent.LocalEndpoint).ToString();
        (string second, string third) = ($"127.0.0.1:{NodeRig.FreePort()}", $"127.0.0.1:{NodeRig.FreePort()}");
        await using var rig = new NodeRig();
        MembershipUnavailableException hung = await FailAsync(TimeSpan.FromSeconds(1), first, second, third);
        Assert.Contains($"{first}: it is called, and has not answered yet", hung.Message, StringComparison.Ordinal);
        Assert.Contains($"{second}: it was not tried yet", hung.Message, StringComparison.Ordinal);

        MembershipUnavailableException all = await FailAsync(TimeSpan.FromSeconds(8), second, first, third);
        foreach (string place in (string[])[first, second, third])
            Assert.Contains($"{place}: ", all.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("not tried", all.Message, StringComparison.Ordinal);

        async Task<MembershipUnavailableException> FailAsync(TimeSpan limit, params string[] servers) =>
            await Assert.ThrowsAsync<MembershipUnavailableException>(() => rig.StartAsync(options =>
            {
                ClientOf(options, servers);
                options.Security.UsePreSharedKey(
                    PreSharedKey.FromBase64(Convert.ToBase64String(RandomNumberGenerator.GetBytes(32))));
                options.Membership.JoinTimeout = limit;
            }));
    }

    private static void Host(QuickSilverOptions options, int port)
    {
        Trouble.Quick(options);
        options.OnNetwork(MembershipMode.Host);
        options.Membership.Port = port;
        options.Transport.Interface = "127.0.0.1";
    }

    private static void ClientOf(QuickSilverOptions options, params string[] servers)
    {
        Trouble.Quick(options);
        options.OnNetwork(MembershipMode.Client);
        foreach (string server in servers) options.Membership.Servers.Add(server);
        options.Transport.Interface = "127.0.0.1";
    }
}
