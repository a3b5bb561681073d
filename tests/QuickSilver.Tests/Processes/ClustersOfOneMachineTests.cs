using QuickSilver.Tests.Networks;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Processes;

/// <summary>Several clusters on the well-known ports of one machine, as processes: each by its own rules and
/// keys.</summary>
[Collection(ProcessCollection.Name)]
public sealed class ClustersOfOneMachineTests : IDisposable
{
    private static readonly TimeSpan Frozen = TimeSpan.FromSeconds(6);

    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Each_cluster_is_ruled_by_its_own_processes()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "processes are stopped by signals");
        string key = TestKeys.WriteFile(_folder.Path, "key", TestKeys.NewText());
        string other = TestKeys.WriteFile(_folder.Path, "other", TestKeys.NewText());
        await using NetworkNode shop = await StartAsync("shop-1", "shop", key, seconds: 2);
        await using NetworkNode first = await StartAsync("bank-1", "bank", key, seconds: 60);
        await using NetworkNode second = await StartAsync("bank-2", "bank", key, seconds: 60);
        await using NetworkNode mill = await StartAsync("mill-1", "mill", other, seconds: 60);
        string[] serving =
        [
            await shop.WaitForAsync("log Information 1101"), await first.WaitForAsync("log Information 1101"),
            await mill.WaitForAsync("log Information 1101"),
        ];
        Assert.Equal(3, serving.Distinct().Count());
        foreach (NetworkNode node in (NetworkNode[])[shop, first, second, mill])
            await node.AskAsync("join g", "joined g");
        await NetworkNode.UntilAsync(async () => await MembersAsync(first) == "bank-1 bank-2");
        Assert.Equal("shop-1", await MembersAsync(shop));
        Assert.Equal("mill-1", await MembersAsync(mill));

        // The patience of the bank, not that of the shop, which served it in the past.
        second.Freeze(begins: true);
        await Task.Delay(Frozen, TestContext.Current.CancellationToken);
        second.Freeze(begins: false);
        await second.AskAsync("confirm g", "confirmed g");
        Assert.Equal("bank-1 bank-2", await MembersAsync(first));
        Assert.DoesNotContain(second.Lines, static line => line.StartsWith("ended", StringComparison.Ordinal));

        // The bank's server changes, and the shop's does not.
        await first.AskAsync("stop", "stopped");
        await second.WaitForAsync("log Information 1101");
        await NetworkNode.UntilAsync(async () => await MembersAsync(second) == "bank-2");
        await second.AskAsync("confirm g", "confirmed g");
        Assert.Equal("shop-1", await MembersAsync(shop));
    }

    private static async Task<string> MembersAsync(NetworkNode node)
    {
        string line = await node.AskAsync("members g", "members g ");
        return string.Join(' ', line.Split(' ')[2..].Order(StringComparer.Ordinal));
    }

    private static Task<NetworkNode> StartAsync(string name, string cluster, string key, int seconds) =>
        NetworkNode.StartHereAsync(
            name,
            [
                $"ClusterName={cluster}", $"Security:KeyFile={key}",
                $"Membership:FailureTimeout={TimeSpan.FromSeconds(seconds)}",
            ]);
}
