using System.Diagnostics;
using System.Globalization;
using QuickSilver.Membership.Etcd.Tests.Stores;

namespace QuickSilver.Membership.Etcd.Tests;

/// <summary>Elections by an etcd that is well.</summary>
public sealed class ElectionTests(SharedEtcd etcd) : IClassFixture<SharedEtcd>
{
    private const string Cluster = "a cluster";

    private readonly string _prefix = etcd.Prefix();

    [Fact]
    public async Task Who_campaigns_first_serves_and_is_found()
    {
        await using EtcdElection first = Create(), second = Create();
        Assert.Null(await first.FindLeaderAsync(Cluster, CancellationToken.None));
        await using IMembershipLease? lease = await CampaignAsync(first, "10.0.0.5:14999");
        Assert.NotNull(lease);
        Assert.Equal(TimeSpan.FromSeconds(1), lease.Duration);
        Assert.Equal(
            new MembershipLeader("10.0.0.5:14999", lease.Term),
            await second.FindLeaderAsync(Cluster, CancellationToken.None));
        Assert.Null(await CampaignAsync(second, "10.0.0.6:14999"));
        Assert.True(await lease.RenewAsync(CancellationToken.None));
        Assert.Equal($"etcd at 127.0.0.1:{etcd.Server.Port}", second.Describe());
    }

    [Fact]
    public async Task Clusters_have_leaders_of_their_own()
    {
        await using EtcdElection election = Create();
        await using IMembershipLease? one = await CampaignAsync(election, "10.0.0.5:14999");
        var other = new MembershipCandidate("another/leader", "[fd00::5]:14999", "n", 1);
        await using IMembershipLease? two = await election.CampaignAsync(other, CancellationToken.None);
        Assert.NotNull(one);
        Assert.NotNull(two);
        MembershipLeader? leader = await election.FindLeaderAsync("another/leader", CancellationToken.None);
        Assert.Equal("[fd00::5]:14999", leader?.EndPoint);
    }

    [Fact]
    public async Task Terms_rise_from_lease_to_lease_and_are_what_the_store_holds()
    {
        await using EtcdElection election = Create();
        using var raw = new RawEtcd(etcd.Server.EndPoint);
        for (long term = 1; term <= 10; term++)
        {
            await using IMembershipLease? lease = await CampaignAsync(election);
            Assert.Equal(term, lease?.Term);
            Assert.Equal(
                term.ToString(CultureInfo.InvariantCulture), await raw.FindAsync($"{_prefix}{Cluster}/term"));
        }
        Assert.Null(await raw.FindAsync($"{_prefix}{Cluster}/leader"));
    }

    [Fact]
    public async Task The_lowest_term_is_honoured_also_when_the_store_has_lost_its_own()
    {
        await using EtcdElection election = Create();
        using var raw = new RawEtcd(etcd.Server.EndPoint);
        await using (IMembershipLease? far = await CampaignAsync(election, lowest: 1_000))
            Assert.Equal(1_000, far?.Term);
        await using (IMembershipLease? next = await CampaignAsync(election, lowest: 7)) Assert.Equal(1_001, next?.Term);
        await raw.DeleteAsync($"{_prefix}{Cluster}/term");
        await using IMembershipLease? again = await CampaignAsync(election, lowest: 1_002);
        Assert.Equal(1_002, again?.Term);
    }

    [Fact]
    public async Task A_lease_ends_when_its_holder_is_silent_and_not_before()
    {
        await using EtcdElection election = Create();
        long begun = Stopwatch.GetTimestamp();
        IMembershipLease? silent = await CampaignAsync(election);
        Assert.NotNull(silent);
        await EtcdServer.UntilAsync(
            async () => await election.FindLeaderAsync(Cluster, CancellationToken.None) is null, "the lease ends");
        Assert.True(Stopwatch.GetElapsedTime(begun) >= silent.Duration);
        Assert.False(await silent.RenewAsync(CancellationToken.None));
        await using IMembershipLease? next = await CampaignAsync(election);
        Assert.True(next?.Term > silent.Term);
        Assert.False(await silent.RenewAsync(CancellationToken.None));
        await silent.DisposeAsync();
        Assert.True(await next.RenewAsync(CancellationToken.None));
    }

    [Fact]
    public async Task Renewals_keep_a_lease_longer_than_its_duration()
    {
        await using EtcdElection election = Create();
        await using IMembershipLease? lease = await CampaignAsync(election);
        Assert.NotNull(lease);
        for (long begun = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(begun) < 3 * lease.Duration;)
        {
            Assert.True(await lease.RenewAsync(CancellationToken.None));
            await Task.Delay(50);
        }
    }

    [Fact]
    public async Task Disposal_frees_the_cluster_at_once()
    {
        await using EtcdElection election = Create(static options => options.LeaseDuration = TimeSpan.FromMinutes(5));
        IMembershipLease? lease = await CampaignAsync(election);
        Assert.NotNull(lease);
        await lease.DisposeAsync();
        await lease.DisposeAsync();
        Assert.False(await lease.RenewAsync(CancellationToken.None));
        Assert.Null(await election.FindLeaderAsync(Cluster, CancellationToken.None));
        await using IMembershipLease? next = await CampaignAsync(election);
        Assert.NotNull(next);
    }

    [Fact]
    public async Task Of_campaigns_at_once_exactly_one_succeeds()
    {
        await using EtcdElection first = Create(), second = Create(), third = Create();
        long last = 0;
        for (int round = 0; round < 50; round++)
        {
            IMembershipLease?[] leases = await Task.WhenAll(
                CampaignAsync(first), CampaignAsync(second), CampaignAsync(third));
            IMembershipLease elected = Assert.Single(leases, static lease => lease is not null)!;
            Assert.True(elected.Term > last);
            last = elected.Term;
            await elected.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_lease_is_lost_when_an_operator_deletes_the_key()
    {
        await using EtcdElection election = Create(static options => options.LeaseDuration = TimeSpan.FromMinutes(5));
        using var raw = new RawEtcd(etcd.Server.EndPoint);
        await using IMembershipLease? lease = await CampaignAsync(election);
        Assert.NotNull(lease);
        await raw.DeleteAsync($"{_prefix}{Cluster}/leader");
        Assert.False(await lease.RenewAsync(CancellationToken.None));
        await using IMembershipLease? next = await CampaignAsync(election);
        Assert.Equal(lease.Term + 1, next?.Term);
    }

    [Theory]
    [InlineData("")]
    [InlineData("10.0.0.5:14999")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("{\"endpoint\":\"10.0.0.5:14999\"}")]
    [InlineData("{\"endpoint\":\"\",\"term\":1}")]
    [InlineData("{\"endpoint\":5,\"term\":1}")]
    [InlineData("{\"endpoint\":\"10.0.0.5:14999\",\"term\":0}")]
    [InlineData("{\"endpoint\":\"10.0.0.5:14999\",\"term\":16777216}")]
    [InlineData("{\"endpoint\":\"10.0.0.5:14999\",\"term\":1.5}")]
    [InlineData("{\"endpoint\":\"10.0.0.5:14999\",\"term\":\"1\"}")]
    [InlineData("{\"endpoint\":\"\\ud800\",\"term\":1}")]
    [InlineData("{\"endpoint\":\"10.0.0.5:14999\",\"term\":1")]
    public async Task A_leader_that_no_election_wrote_is_refused_by_the_name_of_its_key(string value)
    {
        await using EtcdElection election = Create();
        using var raw = new RawEtcd(etcd.Server.EndPoint);
        byte[] bytes = System.Text.Encoding.UTF8.GetBytes(value);
        await raw.PutAsync($"{_prefix}{Cluster}/leader", bytes, await raw.GrantAsync());
        await RefusesToFindAsync(election);
        Assert.Null(await CampaignAsync(election));
    }

    [Fact]
    public async Task A_leader_of_no_text_is_refused()
    {
        await using EtcdElection election = Create();
        using var raw = new RawEtcd(etcd.Server.EndPoint);
        byte[] value = [.. "{\"endpoint\":\""u8, 0xff, .. "\",\"term\":1}"u8];
        await raw.PutAsync($"{_prefix}{Cluster}/leader", value, await raw.GrantAsync());
        await RefusesToFindAsync(election);
    }

    [Fact]
    public async Task A_leader_without_a_lease_is_refused_since_it_would_stay_for_ever()
    {
        await using EtcdElection election = Create();
        using var raw = new RawEtcd(etcd.Server.EndPoint);
        await raw.PutAsync($"{_prefix}{Cluster}/leader", "{\"endpoint\":\"10.0.0.5:14999\",\"term\":1}"u8.ToArray());
        await RefusesToFindAsync(election);
    }

    [Theory]
    [InlineData("")]
    [InlineData("x")]
    [InlineData("-1")]
    [InlineData("16777215")]
    [InlineData("16777216")]
    [InlineData("99999999999999999999")]
    public async Task A_term_that_no_election_wrote_or_the_last_is_refused_by_the_name_of_its_key(string value)
    {
        await using EtcdElection election = Create();
        using var raw = new RawEtcd(etcd.Server.EndPoint);
        await raw.PutAsync($"{_prefix}{Cluster}/term", System.Text.Encoding.UTF8.GetBytes(value));
        var refusal = await Assert.ThrowsAsync<InvalidDataException>(() => CampaignAsync(election));
        Assert.Contains($"'{_prefix}{Cluster}/term'", refusal.Message, StringComparison.Ordinal);
        Assert.Null(await election.FindLeaderAsync(Cluster, CancellationToken.None));
    }

    [Fact]
    public async Task A_disposed_election_says_so()
    {
        EtcdElection election = Create();
        IMembershipLease? lease = await CampaignAsync(election);
        Assert.NotNull(lease);
        await election.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => election.FindLeaderAsync(Cluster, CancellationToken.None).AsTask());
        await lease.DisposeAsync();
    }

    private async Task RefusesToFindAsync(EtcdElection election)
    {
        var refusal = await Assert.ThrowsAsync<InvalidDataException>(
            () => election.FindLeaderAsync(Cluster, CancellationToken.None).AsTask());
        Assert.Contains($"'{_prefix}{Cluster}/leader'", refusal.Message, StringComparison.Ordinal);
    }

    private EtcdElection Create(Action<EtcdOptions>? change = null)
    {
        EtcdOptions options = etcd.Server.Options();
        options.Prefix = _prefix;
        change?.Invoke(options);
        return new EtcdElection(options);
    }

    private static Task<IMembershipLease?> CampaignAsync(
        EtcdElection election, string endPoint = "10.0.0.5:14999", long lowest = 1) =>
        election.CampaignAsync(new MembershipCandidate(Cluster, endPoint, "a node", lowest), CancellationToken.None)
            .AsTask();
}
