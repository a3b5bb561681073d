using System.Net;
using System.Net.Sockets;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Api;

/// <summary>Mistakes that everybody makes once: each has a name, and a text that says what to do.</summary>
[Collection(NodeCollection.Name)]
public sealed class MistakeTests
{
    [Fact]
    public async Task A_name_that_no_group_may_have_is_refused_with_the_rule()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        await IsToldAsync<ArgumentException>(() => node.JoinAsync(""), "1-255 bytes", "empty");
        await IsToldAsync<ArgumentException>(() => node.JoinAsync(new string('é', 128)), "1-255 bytes", "256 bytes");
        await IsToldAsync<ArgumentException>(() => node.JoinAsync("\ud800"), "1-255 bytes", "surrogate");
        await IsToldAsync<ArgumentException>(() => node.JoinAsync("two\nlines"), "1-255 bytes", "line break");
        await IsToldAsync<ArgumentException>(() => node.JoinAsync("$mine"), "'$mine'", "reserved", "choose another");
        await IsToldAsync<ArgumentException>(() => node.JoinManyAsync(["a", "b", "a"]), "'a'", "twice");
        await Assert.ThrowsAsync<ArgumentNullException>(() => node.JoinAsync(null!));
    }

    [Fact]
    public async Task A_message_that_is_too_long_is_refused_with_its_length_and_the_option()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(static options => options.Pending.MaxMessageBytes = 1_000);
        Group group = await node.JoinAsync("group");
        byte[] payload = new byte[1_001];
        PayloadTooLargeException thrown = await IsToldAsync<PayloadTooLargeException>(
            () => group.SendAsync(payload).AsTask(), "1001 bytes", "Pending.MaxMessageBytes (1000)", "split it");
        Assert.Equal((ErrorCode.PayloadTooLarge, 1_000L), (thrown.Code, thrown.Limit));
        await IsToldAsync<PayloadTooLargeException>(() => group.SendConfirmedAsync(payload), "split it");
        Assert.Equal(SendStatus.TooLarge, group.TrySend(payload));
        await group.SendConfirmedAsync(payload.AsMemory(1));
    }

    [Fact]
    public async Task To_dispose_twice_is_no_mistake_and_to_send_or_leave_afterwards_is_named()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("group");
        await group.LeaveAsync();
        await group.DisposeAsync();
        await group.DisposeAsync();
        await IsToldAsync<ObjectDisposedException>(
            () => group.SendAsync("late").AsTask(), "'group'", "left or disposed of", "join the group again");
        await IsToldAsync<ObjectDisposedException>(() => group.LeaveAsync(), "join the group again");
        await IsToldAsync<ObjectDisposedException>(
            async () => await NodeRig.ReadToEndAsync(group), "join the group again");
        Assert.Equal(SendStatus.Closed, group.TrySend("late"));
        Assert.False(await group.WaitToSendAsync());
        Group other = await node.JoinAsync("other");
        await node.DisposeAsync();
        await node.DisposeAsync();
        await IsToldAsync<ObjectDisposedException>(() => other.SendAsync("late").AsTask(), "or its node has");
        await IsToldAsync<ObjectDisposedException>(
            () => node.JoinAsync("late"), node.Name, "disposed of", "start another");
    }

    [Fact]
    public async Task A_port_where_nobody_listens_is_named()
    {
        MembershipUnavailableException thrown = await IsToldAsync<MembershipUnavailableException>(
            () => QuickSilverNode.StartAsync(ClientOf("127.0.0.1:1")), "127.0.0.1:1:", "Membership.Servers",
            "Membership.Mode = Host", "firewall");
        Assert.Equal(ErrorCode.MembershipUnreachable, thrown.Code);
    }

    [Fact]
    public async Task A_port_where_something_else_answers_is_told_from_one_where_nobody_does()
    {
        using var web = new TcpListener(IPAddress.Loopback, 0);
        web.Start();
        string server = $"127.0.0.1:{((IPEndPoint)web.LocalEndpoint).Port}";
        Task answering = AnswerAsync(web);
        await IsToldAsync<MembershipUnavailableException>(
            () => QuickSilverNode.StartAsync(ClientOf(server)), server,
            "does not use QuickSilver's membership protocol", "Membership.Servers");
        web.Stop();
        await answering.WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_server_whose_name_nobody_knows_is_named() =>
        await IsToldAsync<MembershipUnavailableException>(
            () => QuickSilverNode.StartAsync(ClientOf("no-such-host.invalid:14999")), "no-such-host.invalid:14999",
            "correct the list");

    [Fact]
    public async Task A_server_out_of_reach_is_named()
    {
        // An address for documentation: nobody is there, and some networks answer nothing at all.
        await IsToldAsync<MembershipUnavailableException>(
            () => QuickSilverNode.StartAsync(ClientOf("192.0.2.77:14999")), "192.0.2.77:14999", "Membership.Servers",
            "firewall");
    }

    [Fact]
    public async Task A_second_host_at_one_port_is_refused_with_what_to_choose()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Host);
        MembershipUnavailableException thrown = await IsToldAsync<MembershipUnavailableException>(
            () => QuickSilverNode.StartAsync(rig.Options(Host)),
            $"127.0.0.1:{rig.Port}",
            "another node or process has that port",
            "Membership.Port",
            "Client");
        Assert.Equal(ErrorCode.MembershipUnreachable, thrown.Code);

        static void Host(QuickSilverOptions options)
        {
            options.OnNetwork(MembershipMode.Host);
            options.Transport.Interface = "127.0.0.1";
        }
    }

    [Fact]
    public async Task Two_nodes_whose_range_has_ports_for_one_are_told_to_widen_it()
    {
        await using var rig = new NodeRig();
        int first = 20_000 + (Environment.ProcessId % 10_000);
        await rig.StartAsync(Narrow);
        QuickSilverException thrown = await IsToldAsync<QuickSilverException>(
            () => QuickSilverNode.StartAsync(rig.Options(Narrow)), $"{first}-{first + 1}", "Transport.PortRange",
            "two ports");
        Assert.Equal(ErrorCode.PortsExhausted, thrown.Code);

        void Narrow(QuickSilverOptions options) => options.Transport.PortRange = $"{first}-{first + 1}";
    }

    [Fact]
    public async Task Servers_without_the_mode_that_asks_them_are_refused()
    {
        var options = new QuickSilverOptions();
        options.Membership.Servers.Add("10.0.0.5:14999");
        await IsToldAsync<ArgumentException>(
            () => QuickSilverNode.StartAsync(options), "Membership.Servers: ", "Loopback", "set it to Client");
    }

    [Fact]
    public async Task A_cluster_of_another_name_is_refused_with_what_to_compare()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(static options =>
        {
            options.OnNetwork(MembershipMode.Host);
            options.Transport.Interface = "127.0.0.1";
        });
        QuickSilverOptions other = ClientOf($"127.0.0.1:{rig.Port}");
        other.ClusterName = "another";
        using var log = new RecordingLoggerFactory();
        other.UseLoggerFactory(log);
        MembershipUnavailableException thrown =
            await IsToldAsync<MembershipUnavailableException>(() => QuickSilverNode.StartAsync(other), "ClusterName");
        Assert.Equal(ErrorCode.MembershipRefused, thrown.Code);
        await NodeRig.UntilAsync(() => log.Ids.Contains(1009), "the log says that it was not admitted");
        Assert.DoesNotContain(1003, log.Ids);
        Assert.DoesNotContain(log.Records, static record => record.Fault is not null);
    }

    [Fact]
    public async Task A_wait_for_members_that_never_come_says_who_is_there()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("group");
        using var limit = new CancellationTokenSource(100);
        await IsToldAsync<OperationCanceledException>(
            () => group.WaitForMembersAsync(3, limit.Token), "3 nodes", $"group view 1: {node.Name}");
    }

    [Fact]
    public async Task A_port_where_something_says_nothing_is_told_from_one_that_was_closed()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        await IsToldAsync<MembershipUnavailableException>(
            () => QuickSilverNode.StartAsync(ClientOf($"127.0.0.1:{((IPEndPoint)silent.LocalEndpoint).Port}")),
            "one was reached, and does not answer");
    }

    [Fact]
    public async Task Of_several_servers_each_is_named_with_what_it_met()
    {
        QuickSilverOptions options = ClientOf("127.0.0.1:1");
        options.Membership.Servers.Add("127.0.0.1:2");
        await IsToldAsync<MembershipUnavailableException>(
            () => QuickSilverNode.StartAsync(options), "127.0.0.1:1: ", "; 127.0.0.1:2: ");
    }

    [Fact]
    public async Task A_start_that_is_cancelled_says_what_it_had_met()
    {
        QuickSilverOptions options = ClientOf("127.0.0.1:1");
        options.Membership.JoinTimeout = TimeSpan.FromMinutes(1);
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(2));
        await IsToldAsync<OperationCanceledException>(
            () => QuickSilverNode.StartAsync(options, limit.Token), "The start was cancelled", "127.0.0.1:1:");
    }

    [Fact]
    public async Task To_leave_many_with_a_handle_that_is_null_leaves_none()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("group");
        await IsToldAsync<ArgumentException>(() => node.LeaveManyAsync([group, null!]), "null", "groups");
        await group.SendConfirmedAsync("it is still in");
    }

    [Fact]
    public async Task Whoever_gives_up_while_a_member_is_silent_is_told_its_name_and_what_became_of_the_call()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(change: static options =>
        {
            Trouble.Patient(options);
            options.Pending.MaxMessagesPerRegion = 4;
            options.Pending.MaxUnsentMessagesPerRegion = 2;
        });
        using (await Trouble.FreezeAsync(right.Node))
        {
            using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(1));
            await IsToldAsync<OperationCanceledException>(
                () => SendOnAsync(limit.Token), "Too much was pending", "is not sent");
            using var leave = new CancellationTokenSource(TimeSpan.FromSeconds(1));
            await IsToldAsync<OperationCanceledException>(
                () => left.Node.LeaveManyAsync([left], leave.Token), right.Node.Name, "left in the background");
        }
        await left.Completion.WaitAsync(NodeRig.Patience);

        // The gate opens again as long as the network takes what is unsent; then what is pending fills it for good.
        async Task SendOnAsync(CancellationToken ct)
        {
            while (true) await left.SendAsync("fills the gate", ct);
        }
    }

    private static QuickSilverOptions ClientOf(string server)
    {
        var options = new QuickSilverOptions();
        options.OnNetwork(MembershipMode.Client);
        options.Membership.Servers.Add(server);
        options.Membership.JoinTimeout = TimeSpan.FromSeconds(2);
        options.Transport.Interface = "127.0.0.1";
        return options;
    }

    private static async Task AnswerAsync(TcpListener web)
    {
        try
        {
            while (true)
            {
                using TcpClient caller = await web.AcceptTcpClientAsync();
                await caller.GetStream().WriteAsync("HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray());
            }
        }
        catch (Exception ended) when (ended is SocketException or ObjectDisposedException or IOException)
        {
            return;
        }
    }

    private static async Task<T> IsToldAsync<T>(Func<Task> call, params string[] words)
        where T : Exception
    {
        T thrown = await Assert.ThrowsAnyAsync<T>(() => call().WaitAsync(NodeRig.Patience));
        foreach (string word in words) Assert.Contains(word, thrown.Message, StringComparison.Ordinal);
        return thrown;
    }
}
