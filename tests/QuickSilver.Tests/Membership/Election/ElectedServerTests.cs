using System.Collections.Concurrent;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Membership.Election;

/// <summary>Nodes that elect their server by a store of leases.</summary>
[Collection(NodeCollection.Name)]
public sealed class ElectedServerTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(4);

    private readonly TestElection _election = new(Duration);
    private readonly ConcurrentQueue<NodeEvent> _returned = new();
    private readonly RecordingLoggerFactory _log = new();

    [Fact]
    public async Task Nodes_elect_one_server_and_another_when_that_leaves_and_no_group_ends()
    {
        await using var rig = new NodeRig();
        List<Group> groups = await StartAsync(rig, 3);
        long term = Assert.Single(_election.Granted).Term;

        await groups[0].Node.DisposeAsync();
        await NodeRig.UntilAsync(() => _election.Granted.Count == 2, "another is elected");
        await groups[1].WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => groups[1].View.Members.Count == 2, "the first has left");
        await groups[1].SendConfirmedAsync("under the second").WaitAsync(NodeRig.Patience);
        Assert.Equal(["under the second"], await NodeRig.ReadAsync(groups[2], 1));
        Assert.True(_election.Granted[1].Term > term);

        Group late = await JoinAsync(rig);
        await late.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        Assert.Empty(_returned);
        Assert.All(groups[1..], static group => Assert.False(group.Completion.IsCompleted));
    }

    [Fact]
    public async Task A_server_whose_lease_is_taken_away_stops_and_is_followed()
    {
        await using var rig = new NodeRig();
        List<Group> groups = await StartAsync(rig, 3);
        _election.TakeAway();
        await NodeRig.UntilAsync(() => _election.Granted.Count >= 2, "another is elected");
        Group late = await JoinAsync(rig);
        await late.WaitForMembersAsync(4).WaitAsync(NodeRig.Patience);
        await groups[1].SendConfirmedAsync("on").WaitAsync(NodeRig.Patience);
        Assert.Equal(["on"], await NodeRig.ReadAsync(groups[0], 1));
        Assert.Empty(_returned);
        Assert.Contains(_log.Records, static record => record.Id == 1147);
    }

    [Fact]
    public async Task Data_flows_while_the_store_is_silent_and_a_server_is_elected_when_it_is_back()
    {
        await using var rig = new NodeRig();
        List<Group> groups = await StartAsync(rig, 2);
        _election.IsSilent = true;
        await NodeRig.UntilAsync(
            () => groups.TrueForAll(static group => group.Node.State == NodeState.MembershipLost),
            "the server stops before its lease has ended");
        await groups[0].SendConfirmedAsync("without a server").WaitAsync(NodeRig.Patience);

        var refusal = await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => rig.StartAsync(options => Configure(options, TimeSpan.FromSeconds(5))));
        Assert.Contains("the test's store has not answered", refusal.Message, StringComparison.Ordinal);

        _election.IsSilent = false;
        await NodeRig.UntilAsync(
            () => groups.TrueForAll(static group => group.Node.State == NodeState.Running), "another serves");
        Assert.Equal(2, _election.Granted.Count);
        await groups[1].SendConfirmedAsync("with one").WaitAsync(NodeRig.Patience);
        Assert.Equal(["without a server", "with one"], await NodeRig.ReadAsync(groups[1], 2));
        Assert.Empty(_returned);
    }

    [Fact]
    public async Task A_store_that_fails_is_named_by_the_start()
    {
        _election.Failure = new InvalidOperationException("no leader among the stores");
        await using var rig = new NodeRig();
        var refusal = await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => rig.StartAsync(options => Configure(options, TimeSpan.FromSeconds(3))));
        Assert.Contains("the test's store", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("no leader among the stores", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_mode_without_an_election_is_refused()
    {
        var options = new QuickSilverOptions();
        options.Membership.Mode = MembershipMode.Elected;
        Assert.Contains(
            options.Validate(),
            static finding => finding.StartsWith("Membership.Election: is null", StringComparison.Ordinal));
    }

    private async Task<List<Group>> StartAsync(NodeRig rig, int count)
    {
        var groups = new List<Group>();
        for (int index = 0; index < count; index++) groups.Add(await JoinAsync(rig));
        foreach (Group group in groups) await group.WaitForMembersAsync(count).WaitAsync(NodeRig.Patience);
        return groups;
    }

    private async Task<Group> JoinAsync(NodeRig rig)
    {
        QuickSilverNode node = await rig.StartAsync(options => Configure(options, NodeRig.Patience));
        node.Events += (_, happened) =>
        {
            if (happened is NodeRejoined) _returned.Enqueue(happened);
        };
        return await node.JoinAsync("group").WaitAsync(NodeRig.Patience);
    }

    private void Configure(QuickSilverOptions options, TimeSpan patience)
    {
        options.OnNetwork(MembershipMode.Elected);
        options.UseLoggerFactory(_log);
        options.Membership.Election = _election;
        options.Membership.JoinTimeout = patience;
        options.Membership.HeartbeatInterval = TimeSpan.FromMilliseconds(250);
        options.Transport.Interface = "127.0.0.1";
    }
}
