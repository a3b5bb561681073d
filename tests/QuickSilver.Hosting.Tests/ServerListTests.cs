using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using QuickSilver.Tests.Api;

namespace QuickSilver.Hosting.Tests;

/// <summary>The configuration of a host that runs names other membership servers.</summary>
public sealed class ServerListTests
{
    private const string Entry = "QuickSilver:Membership:Servers:0";

    [Fact]
    public async Task A_changed_list_reaches_the_node_and_one_that_is_not_valid_changes_nothing()
    {
        await using var nodes = new NodeRig();
        QuickSilverNode first = await nodes.StartAsync(options => Serve(options, nodes.Port));
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(
            static services => services.AddQuickSilver(static options =>
            {
                options.ClusterName = "tests";
                options.Transport.Interface = "127.0.0.1";
                options.Security.UseNone();
            }).AddGroup("group"),
            ("QuickSilver:Membership:Mode", "Client"),
            (Entry, $"127.0.0.1:{nodes.Port}"));
        var configuration = (IConfigurationRoot)host.Services.GetRequiredService<IConfiguration>();
        QuickSilverNode node = await host.Services.GetRequiredService<IQuickSilverNode>().GetNodeAsync();
        Change("nowhere");
        await rig.UntilLoggedAsync(1_638);
        Assert.Equal(NodeState.Running, node.State);

        int other = NodeRig.FreePort();
        Change($"127.0.0.1:{other}");
        await rig.UntilLoggedAsync(1_136);
        await first.DisposeAsync();
        await nodes.StartAsync(options => Serve(options, other));
        await NodeRig.UntilAsync(() => node.State == NodeState.Running, "the node finds the other server");
        await host.StopAsync();
        Change("127.0.0.1:1");
        Assert.Single(rig.Loggers.Ids, 1_136);

        void Change(string server)
        {
            configuration[Entry] = server;
            configuration.Reload();
        }
    }

    private static void Serve(QuickSilverOptions options, int port)
    {
        Trouble.Quick(options);
        options.Membership.Mode = MembershipMode.Host;
        options.Security.UseNone();
        options.Membership.Port = port;
        options.Transport.Interface = "127.0.0.1";
    }
}
