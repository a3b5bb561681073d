using QuickSilver.Tests.Api;
using QuickSilver.Tests.Diagnostics;
using QuickSilver.Tests.Membership.Election;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Membership.Discovery;

/// <summary>Nodes that find their server by announcements, or by a source of addresses.</summary>
[Collection(NodeCollection.Name)]
public sealed class DiscoveryTests
{
    private const string Here = "127.0.0.1";

    private readonly RecordingLoggerFactory _log = new();
    private readonly string _key = TestKeys.NewText();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_node_without_addresses_finds_the_host_that_announces_itself(bool isKeyed)
    {
        await using var rig = new NodeRig();
        string? key = isKeyed ? _key : null;
        QuickSilverNode host = await rig.StartAsync(options => Announce(options, MembershipMode.Host, key));
        QuickSilverNode client = await rig.StartAsync(options => Announce(options, MembershipMode.Client, key));
        await ExchangeAsync(host, client);
    }

    [Fact]
    public async Task A_node_that_starts_first_waits_for_the_host()
    {
        await using var rig = new NodeRig();
        Task<QuickSilverNode> client = rig.StartAsync(
            options => Announce(options, MembershipMode.Client, _key));
        await NodeRig.UntilAsync(() => _log.Ids.Contains(1104), "it looks for a server");
        QuickSilverNode host = await rig.StartAsync(options => Announce(options, MembershipMode.Host, _key));
        await ExchangeAsync(host, await client);
    }

    [Fact]
    public async Task A_start_that_hears_nobody_says_what_it_listened_for()
    {
        await using var rig = new NodeRig();
        var failure = await Assert.ThrowsAsync<MembershipUnavailableException>(() => rig.StartAsync(options =>
        {
            Announce(options, MembershipMode.Client, _key);
            options.Membership.JoinTimeout = TimeSpan.FromSeconds(2);
        }));
        Assert.Equal(ErrorCode.MembershipUnreachable, failure.Code);
        Assert.Contains(
            $"no server of the cluster is heard by multicast announcements to 239.192.67.1:{rig.Port} at 127.0.0.1",
            failure.Message, StringComparison.Ordinal);
        Assert.Contains("Membership.Mode = Host", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_host_with_another_key_or_none_is_not_found_and_both_are_told()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(options => Announce(options, MembershipMode.Host, TestKeys.NewText()));
        var failure = await Assert.ThrowsAsync<MembershipUnavailableException>(() => rig.StartAsync(options =>
        {
            Announce(options, MembershipMode.Client, _key);
            options.UseLoggerFactory(_log);
            options.Membership.JoinTimeout = TimeSpan.FromSeconds(4);
        }));
        Assert.Contains("with another key, or without one", failure.Message, StringComparison.Ordinal);
        string told = Assert.Single(_log.Records, static record => record.Id.Id == 1139).Text;
        Assert.Contains("another key", told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_second_host_hears_the_first_and_does_not_start()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(options => Announce(options, MembershipMode.Host, _key));
        var failure = await Assert.ThrowsAsync<MembershipUnavailableException>(() => rig.StartAsync(options =>
        {
            Announce(options, MembershipMode.Host, _key);
            options.Membership.Port = NodeRig.FreePort();
        }));
        Assert.Equal(ErrorCode.AnotherHost, failure.Code);
    }

    [Fact]
    public async Task Of_two_hosts_that_start_at_once_one_serves()
    {
        await using var rig = new NodeRig();
        Task<QuickSilverNode>[] starts = [StartAsync(rig.Port), StartAsync(NodeRig.FreePort())];
        await Task.WhenAll(starts).ContinueWith(static _ => { }, TestContext.Current.CancellationToken);
        Task<QuickSilverNode> failed = Assert.Single(starts, static start => start.IsFaulted);
        var failure = await Assert.ThrowsAsync<MembershipUnavailableException>(() => failed);
        Assert.Equal(ErrorCode.AnotherHost, failure.Code);

        Task<QuickSilverNode> StartAsync(int port) => rig.StartAsync(options =>
        {
            Announce(options, MembershipMode.Host, _key);
            options.Membership.Port = port;
        });
    }

    [Fact]
    public async Task A_source_is_asked_until_it_names_a_server()
    {
        await using var rig = new NodeRig();
        var source = new TestSource();
        QuickSilverNode host = await rig.StartAsync(static options =>
        {
            options.OnNetwork(MembershipMode.Host);
            options.Transport.Interface = Here;
        });
        Task<QuickSilverNode> client = rig.StartAsync(options => UseSource(options, source));
        await NodeRig.UntilAsync(() => source.Asked >= 2, "it is asked again");
        source.Failure = new IOException("the registry is away");
        await NodeRig.UntilAsync(
            () => _log.Records.Any(static record => record.Id.Id == 1138), "the failure is logged");
        source.Failure = null;
        source.Servers = ["nonsense", $"{Here}:{rig.Port}"];
        await ExchangeAsync(host, await client);
        Assert.Contains(
            "the test's source: the registry is away",
            Assert.Single(_log.Records, static record => record.Id.Id == 1138).Text, StringComparison.Ordinal);
        await (await client).DisposeAsync();
        Assert.False(source.IsDisposed);
    }

    [Fact]
    public async Task A_source_that_fails_is_named_by_the_start()
    {
        await using var rig = new NodeRig();
        var source = new TestSource { Failure = new IOException("the registry is away") };
        var failure = await Assert.ThrowsAsync<MembershipUnavailableException>(() => rig.StartAsync(options =>
        {
            UseSource(options, source);
            options.Membership.JoinTimeout = TimeSpan.FromSeconds(2);
        }));
        Assert.Contains("the registry is away", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_a_node_made_for_itself_it_disposes_of()
    {
        await using var rig = new NodeRig();
        var sources = new List<TestSource>();
        var elections = new List<TestElection>();
        QuickSilverNode node = await rig.StartAsync(options =>
        {
            options.OnNetwork(MembershipMode.Elected);
            options.Transport.Interface = Here;
            options.Membership.Discovery.Add(() =>
            {
                sources.Add(new TestSource());
                return sources[^1];
            });
            options.Membership.UseElection(() =>
            {
                elections.Add(new TestElection(TimeSpan.FromSeconds(4)));
                return elections[^1];
            });
        });
        Assert.False(Assert.Single(sources).IsDisposed);
        Assert.False(Assert.Single(elections).IsDisposed);
        await node.DisposeAsync();
        Assert.True(sources[0].IsDisposed);
        Assert.True(elections[0].IsDisposed);
    }

    [Fact]
    public async Task A_server_that_announces_itself_is_found_while_the_store_does_not_answer()
    {
        await using var rig = new NodeRig();
        var election = new TestElection(TimeSpan.FromSeconds(60));
        QuickSilverNode server = await rig.StartAsync(options => Elect(options, election));
        var silent = new TestElection(TimeSpan.FromSeconds(60)) { Failure = new IOException("no route to the store") };
        QuickSilverNode other = await rig.StartAsync(options => Elect(options, silent));
        await ExchangeAsync(server, other);

        void Elect(QuickSilverOptions options, TestElection by)
        {
            Announce(options, MembershipMode.Elected, _key);
            options.Membership.Election = by;
        }
    }

    [Fact]
    public void Mistakes_are_named()
    {
        var options = new QuickSilverOptions();
        options.Membership.Discovery.Multicast = true;
        options.Membership.Discovery.MulticastGroup = "10.0.0.5";
        options.Membership.Discovery.MulticastGroupIPv6 = "fe80::1";
        options.Membership.Discovery.Port = 0;
        options.Membership.Discovery.TimeToLive = 256;
        string all = string.Join('\n', options.Validate());
        Assert.Contains("Membership.Discovery: is set, and Membership.Mode is Loopback", all, StringComparison.Ordinal);
        Assert.Contains("Membership.Discovery.MulticastGroup: '10.0.0.5' is not", all, StringComparison.Ordinal);
        Assert.Contains("Membership.Discovery.MulticastGroupIPv6: 'fe80::1' is not", all, StringComparison.Ordinal);
        Assert.Contains("Membership.Discovery.Port: 0 is not", all, StringComparison.Ordinal);
        Assert.Contains("Membership.Discovery.TimeToLive: 256 is not", all, StringComparison.Ordinal);
    }

    private void Announce(QuickSilverOptions options, MembershipMode mode, string? key)
    {
        options.Membership.Mode = mode;
        options.Membership.Discovery.Multicast = true;
        // No other test's.
        options.Membership.Discovery.Port = options.Membership.Port;
        options.Transport.Interface = Here;
        options.UseLoggerFactory(_log);
        if (key is null) options.Security.UseNone();
        else options.Security.UsePreSharedKey(PreSharedKey.FromBase64(key));
    }

    private void UseSource(QuickSilverOptions options, TestSource source)
    {
        options.OnNetwork(MembershipMode.Client);
        options.UseLoggerFactory(_log);
        options.Transport.Interface = Here;
        options.Membership.Discovery.Add(source);
    }

    private static async Task ExchangeAsync(QuickSilverNode one, QuickSilverNode two)
    {
        Group first = await one.JoinAsync("group");
        Group second = await two.JoinAsync("group");
        await second.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await first.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await first.SendConfirmedAsync("found").WaitAsync(NodeRig.Patience);
        Assert.Equal(["found"], await NodeRig.ReadAsync(second, 1));
    }
}
