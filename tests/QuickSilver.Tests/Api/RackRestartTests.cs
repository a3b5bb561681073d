using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Api;

/// <summary>Processes of a cluster with a host die together, the host among them, and come back under their
/// names.</summary>
[Collection(NodeCollection.Name)]
public sealed class RackRestartTests
{
    [Fact]
    public async Task A_host_and_two_of_three_clients_that_are_killed_and_restarted_are_in_one_view_again()
    {
        await using var rig = new NodeRig();
        QuickSilverNode host = await rig.StartAsync(options => Host(options, rig.Port));
        QuickSilverNode survivor = await rig.StartAsync(options => ClientOf(options, rig.Port, "survivor"));
        QuickSilverNode[] dying =
        [
            host,
            await rig.StartAsync(options => ClientOf(options, rig.Port, "b")),
            await rig.StartAsync(options => ClientOf(options, rig.Port, "c")),
        ];
        Group kept = await survivor.JoinAsync("group");
        foreach (QuickSilverNode node in dying) await node.JoinAsync("group");
        await kept.WaitForMembersAsync(4).WaitAsync(NodeRig.Patience);
        foreach (QuickSilverNode node in (QuickSilverNode[])[dying[1], dying[2], host]) await Trouble.CrashAsync(node);
        await NodeRig.UntilAsync(() => survivor.State == NodeState.MembershipLost, "the loss is noticed");

        QuickSilverNode[] again =
        [
            await rig.StartAsync(options => Host(options, rig.Port)),
            await rig.StartAsync(options => ClientOf(options, rig.Port, "b")),
            await rig.StartAsync(options => ClientOf(options, rig.Port, "c")),
        ];
        // A node that joined before the survivor came may have had to give way to it, or the other way round: both come
        // back.
        foreach (QuickSilverNode node in (QuickSilverNode[])[survivor, .. again]) _ = KeepJoinedAsync(node);
        await NodeRig.UntilAsync(
            () => AllRunWithAsync(4, [survivor, .. again]),
            "all four are in one view");
        await NodeRig.UntilAsync(() => survivor.GetStatistics().MembersMissing == 0, "nobody is missing");
    }

    [Fact]
    public async Task A_host_that_waits_for_a_majority_says_for_whom_and_goes_on_when_they_are_forgotten()
    {
        await using var rig = new NodeRig();
        var log = new RecordingLoggerFactory();
        QuickSilverNode host = await rig.StartAsync(options => Host(options, rig.Port));
        QuickSilverNode survivor = await rig.StartAsync(options => ClientOf(options, rig.Port, "survivor"));
        Group kept = await survivor.JoinAsync("group");
        var dying = new List<QuickSilverNode>();
        foreach (string name in (string[])["b", "c", "d", "e"])
        {
            dying.Add(await rig.StartAsync(options => ClientOf(options, rig.Port, name)));
            await dying[^1].JoinAsync("group");
        }
        await kept.WaitForMembersAsync(5).WaitAsync(NodeRig.Patience);
        // The host first: one that lives on removes processes that have ended.
        foreach (QuickSilverNode node in (QuickSilverNode[])[host, .. dying]) await Trouble.CrashAsync(node);
        await NodeRig.UntilAsync(() => survivor.State == NodeState.MembershipLost, "the loss is noticed");

        QuickSilverNode again = await rig.StartAsync(options =>
        {
            Host(options, rig.Port);
            options.UseLoggerFactory(log);
            options.Membership.JoinTimeout = TimeSpan.FromSeconds(1);
        });
        await NodeRig.UntilAsync(
            () => survivor.State == NodeState.WaitingForMajority && again.State == NodeState.WaitingForMajority,
            "the states tell");
        await NodeRig.UntilAsync(() => survivor.GetStatistics().MembersMissing == 4, "the figures tell");
        string[] words = [
            "b (127.0.0.1", "c (127.0.0.1", "d (127.0.0.1", "e (127.0.0.1", "4 are missing", "AwaitMajority"];
        await NodeRig.UntilAsync(
            () => log.Records.Any(record => record.Id.Id == 1120
                && Array.TrueForAll(words, word => record.Text.Contains(word, StringComparison.Ordinal))),
            "the log tells");
        QuickSilverException late = await Assert.ThrowsAsync<QuickSilverException>(
            async () => await survivor.JoinAsync("late"));
        Assert.Equal(ErrorCode.JoinTimedOut, late.Code);
        Assert.Contains("b (127.0.0.1", late.Message, StringComparison.Ordinal);
        // The host's own join goes on: the end of its program would take the server from the survivor.
        Task<Group> own = again.JoinAsync("own");
        await NodeRig.UntilAsync(
            () => log.Records.Any(static record => record.Id.Id == 1137
                && record.Text.Contains("'own'", StringComparison.Ordinal)
                && record.Text.Contains("b (127.0.0.1", StringComparison.Ordinal)),
            "the log tells why");
        Assert.False(own.IsCompleted);

        Assert.Equal(
            ErrorCode.NotServing,
            (await Assert.ThrowsAsync<QuickSilverException>(async () => await survivor.ForgetMemberAsync("b"))).Code);
        Assert.Equal(
            ErrorCode.NoSuchMember,
            (await Assert.ThrowsAsync<QuickSilverException>(async () => await again.ForgetMemberAsync("x"))).Code);
        await Assert.ThrowsAsync<ArgumentException>(async () => await again.ForgetMemberAsync(""));
        foreach (string name in (string[])["b", "c", "d"]) Assert.Equal(1, await again.ForgetMemberAsync(name));
        await NodeRig.UntilAsync(
            () => survivor.State == NodeState.Running && again.State == NodeState.Running, "the wait is over");
        await NodeRig.UntilAsync(() => kept.View.MemberCount == 1, "the dead are gone from the view");
        await survivor.JoinAsync("later").WaitAsync(NodeRig.Patience);
        await own.WaitAsync(NodeRig.Patience);
        Assert.False(kept.Completion.IsCompleted);
        await NodeRig.UntilAsync(() => survivor.GetStatistics().MembersMissing == 0, "nobody is missing");
    }

    private static async Task<bool> AllRunWithAsync(int members, params QuickSilverNode[] nodes)
    {
        foreach (QuickSilverNode node in nodes)
        {
            IReadOnlyList<GroupStatistics> groups = await node.GetTopGroupsAsync(9);
            int found = groups.FirstOrDefault(static group => group.Name == "group")?.Members ?? 0;
            if (node.State != NodeState.Running || found != members) return false;
        }
        return true;
    }

    private static async Task KeepJoinedAsync(QuickSilverNode node)
    {
        while (node.State is not (NodeState.Stopping or NodeState.Stopped))
        {
            try
            {
                Group group = await node.JoinAsync("group");
                await group.Completion;
            }
            catch (QuickSilverException)
            {
                await Task.Delay(50);
            }
            catch (ObjectDisposedException)
            {
                return;
            }
        }
    }

    private static void Host(QuickSilverOptions options, int port)
    {
        Trouble.Quick(options);
        options.NodeName = "host";
        options.OnNetwork(MembershipMode.Host);
        options.Membership.Port = port;
        options.Transport.Interface = "127.0.0.1";
    }

    private static void ClientOf(QuickSilverOptions options, int port, string name)
    {
        Trouble.Quick(options);
        options.NodeName = name;
        options.Membership.JoinTimeout = TimeSpan.FromSeconds(5);
        options.OnNetwork(MembershipMode.Client);
        options.Membership.Servers.Add($"127.0.0.1:{port}");
        options.Transport.Interface = "127.0.0.1";
    }
}
