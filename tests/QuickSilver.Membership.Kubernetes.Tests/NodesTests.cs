using System.Net;

namespace QuickSilver.Membership.Kubernetes.Tests;

/// <summary>Nodes that elect their server by a Lease, or find it by a Service.</summary>
public sealed class NodesTests : IDisposable
{
    private readonly FakeApiServer _server = new();

    [Fact]
    public async Task Another_node_serves_when_the_first_leaves_and_data_flows_while_the_API_server_is_down()
    {
        await using var rig = new NodeRig();
        var groups = new List<Group>();
        for (int index = 0; index < 3; index++) groups.Add(await JoinAsync(rig));
        foreach (Group group in groups) await group.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        long first = Term();

        await groups[0].Node.DisposeAsync();
        await NodeRig.UntilAsync(() => Term() > first, "another is elected");
        Group late = await JoinAsync(rig);
        await late.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        long second = Term();

        _server.Stop();
        await NodeRig.UntilAsync(
            () => late.Node.State == NodeState.MembershipLost, "the server stops before its lease has ended");
        await groups[1].SendConfirmedAsync("without a server").WaitAsync(NodeRig.Patience);
        _server.Start();
        await NodeRig.UntilAsync(() => late.Node.State == NodeState.Running, "another serves");
        await groups[2].SendConfirmedAsync("with one").WaitAsync(NodeRig.Patience);
        Assert.Equal(["without a server", "with one"], await NodeRig.ReadAsync(late, 2));
        Assert.True(Term() > second);
    }

    [Fact]
    public async Task A_start_that_may_not_read_Leases_says_what_is_missing()
    {
        _server.Refusal = new FakeApiServer.HttpStatus(
            HttpStatusCode.Forbidden, "leases.coordination.k8s.io is forbidden");
        await using var rig = new NodeRig();
        var refusal = await Assert.ThrowsAsync<MembershipUnavailableException>(() => rig.StartAsync(options =>
        {
            Configure(options);
            options.Membership.JoinTimeout = TimeSpan.FromSeconds(20);
        }));
        Assert.Contains($"Kubernetes at {_server.Place}", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("give the service account a Role", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_finds_its_host_among_the_endpoints_of_a_Service()
    {
        using var discovery = new KubernetesDiscovery(_server.Options(static options => options.Service = "members"));
        Assert.Empty(await discovery.FindServersAsync("tests", TestContext.Current.CancellationToken));
        _server.SetEndpoints("members", ("127.0.0.9", false), ("fd00::5", true), ("127.0.0.1", true));
        Assert.Equal(
            ["[fd00::5]:14999", "127.0.0.1:14999", "127.0.0.9:14999"],
            await discovery.FindServersAsync("tests", TestContext.Current.CancellationToken));

        await using var rig = new NodeRig();
        QuickSilverNode host = await rig.StartAsync(static options =>
        {
            options.Membership.Mode = MembershipMode.Host;
            options.Membership.Port = 14_991;
            options.Transport.Interface = "127.0.0.1";
        });
        QuickSilverNode client = await rig.StartAsync(options =>
        {
            options.Membership.Mode = MembershipMode.Client;
            options.Membership.Discovery.AddKubernetes("members", kubernetes =>
            {
                kubernetes.Configuration = _server.Options().Configuration;
                kubernetes.Namespace = FakeApiServer.Namespace;
                kubernetes.ServicePort = 14_991;
            });
            options.Transport.Interface = "127.0.0.1";
        });
        Group here = await host.JoinAsync("group").WaitAsync(NodeRig.Patience);
        Group there = await client.JoinAsync("group").WaitAsync(NodeRig.Patience);
        await there.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await here.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
    }

    public void Dispose() => _server.Dispose();

    private long Term() => long.Parse(
        _server.Find("quicksilver-tests")!["metadata"]!["annotations"]!["quicksilver/term"]!.GetValue<string>(),
        System.Globalization.CultureInfo.InvariantCulture);

    private async Task<Group> JoinAsync(NodeRig rig)
    {
        QuickSilverNode node = await rig.StartAsync(Configure);
        return await node.JoinAsync("group").WaitAsync(NodeRig.Patience);
    }

    private void Configure(QuickSilverOptions options)
    {
        options.Membership.Port = 14_992;
        options.Membership.UseKubernetes(kubernetes =>
        {
            kubernetes.Configuration = _server.Options().Configuration;
            kubernetes.Namespace = FakeApiServer.Namespace;
            kubernetes.LeaseDuration = TimeSpan.FromSeconds(4);
        });
        options.Membership.JoinTimeout = NodeRig.Patience;
        options.Membership.HeartbeatInterval = TimeSpan.FromMilliseconds(250);
        options.Transport.Interface = "127.0.0.1";
    }
}
