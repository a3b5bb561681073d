using QuickSilver.Bench.Processes;
using QuickSilver.Membership.Etcd.Tests.Stores;

namespace QuickSilver.Membership.Etcd.Tests;

/// <summary>Elections by an etcd that is slow, stopped, cut off, restarted or wiped.</summary>
public sealed class TroubleTests
{
    private const string Cluster = "cluster";

    private static readonly MembershipCandidate Candidate = new(Cluster, "10.0.0.5:14999", "node", 1);

    [Fact]
    public async Task Calls_to_a_store_that_stands_still_end_and_name_it_and_go_on_with_it()
    {
        await using EtcdServer server = await EtcdServer.StartAsync();
        await using EtcdElection election = Create(LongLeases, server.EndPoint);
        await using IMembershipLease? lease = await election.CampaignAsync(Candidate, CancellationToken.None);
        Assert.NotNull(lease);
        server.Freeze();
        string expected = $"127.0.0.1:{server.Port} has not answered within 0.9 s";
        await FailsAsync(() => election.FindLeaderAsync(Cluster, CancellationToken.None).AsTask(), expected);
        await FailsAsync(() => election.CampaignAsync(Candidate, CancellationToken.None).AsTask(), expected);
        await FailsAsync(() => lease.RenewAsync(CancellationToken.None).AsTask(), expected);
        server.Thaw();
        await UntilRenewedAsync(lease);
    }

    [Fact]
    public async Task A_call_that_is_cancelled_ends_as_cancelled()
    {
        await using EtcdServer server = await EtcdServer.StartAsync();
        await using EtcdElection election = Create(
            static options =>
            {
                options.LeaseDuration = TimeSpan.FromMinutes(5);
                options.RequestTimeout = TimeSpan.FromMinutes(1);
            },
            server.EndPoint);
        server.Freeze();
        using var stop = new CancellationTokenSource();
        Task<MembershipLeader?> finding = election.FindLeaderAsync(Cluster, stop.Token).AsTask();
        Task<IMembershipLease?> campaign = election.CampaignAsync(Candidate, stop.Token).AsTask();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => finding.WaitAsync(EtcdServer.Patience));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => campaign.WaitAsync(EtcdServer.Patience));
    }

    [Fact]
    public async Task A_restart_of_the_store_keeps_terms_and_leases()
    {
        await using EtcdServer server = await EtcdServer.StartAsync();
        await using EtcdElection election = Create(LongLeases, server.EndPoint);
        await using IMembershipLease? lease = await election.CampaignAsync(Candidate, CancellationToken.None);
        Assert.NotNull(lease);
        await server.KillAsync();
        await FailsAsync(
            () => lease.RenewAsync(CancellationToken.None).AsTask(), $"127.0.0.1:{server.Port} does not answer: ");
        server.Start();
        await UntilRenewedAsync(lease);
        Assert.Null(await election.CampaignAsync(Candidate, CancellationToken.None));
        await lease.DisposeAsync();
        await using IMembershipLease? next = await election.CampaignAsync(Candidate, CancellationToken.None);
        Assert.Equal(lease.Term + 1, next?.Term);
    }

    [Fact]
    public async Task A_wiped_store_has_no_lease_and_goes_on_at_the_lowest_term()
    {
        await using EtcdServer server = await EtcdServer.StartAsync();
        await using EtcdElection election = Create(LongLeases, server.EndPoint);
        await using IMembershipLease? lease = await election.CampaignAsync(Candidate, CancellationToken.None);
        Assert.NotNull(lease);
        await server.KillAsync();
        server.Wipe();
        server.Start();
        await server.WaitAsync();
        Assert.False(await lease.RenewAsync(CancellationToken.None));
        await using IMembershipLease? next = await election.CampaignAsync(
            Candidate with { LowestTerm = 77 }, CancellationToken.None);
        Assert.Equal(77, next?.Term);
    }

    [Fact]
    public async Task While_a_member_refuses_or_stands_still_another_is_asked()
    {
        await using EtcdServer server = await EtcdServer.StartAsync();
        await using EtcdServer still = await EtcdServer.StartAsync();
        still.Freeze();
        int nobody = FreePort.Find();
        await using EtcdElection election = Create(
            LongLeases, $"127.0.0.1:{nobody}", still.EndPoint, server.EndPoint);
        await using IMembershipLease? lease = await election.CampaignAsync(Candidate, CancellationToken.None);
        Assert.NotNull(lease);
        Assert.True(await lease.RenewAsync(CancellationToken.None));
        Assert.Equal(
            $"etcd at 127.0.0.1:{nobody}, 127.0.0.1:{still.Port}, 127.0.0.1:{server.Port}", election.Describe());
        server.Freeze();
        var failure = await Assert.ThrowsAnyAsync<IOException>(
            () => lease.RenewAsync(CancellationToken.None).AsTask());
        Assert.Contains($"127.0.0.1:{nobody} does not answer: ", failure.Message, StringComparison.Ordinal);
        Assert.Contains($"127.0.0.1:{still.Port} has not answered", failure.Message, StringComparison.Ordinal);
        Assert.Contains($"127.0.0.1:{server.Port} has not answered", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lease_outlives_a_member_of_the_store()
    {
        List<EtcdServer> servers = await EtcdServer.StartManyAsync(3);
        try
        {
            await using EtcdElection election = Create(
                LongLeases, [.. servers.Select(static server => server.EndPoint)]);
            await using IMembershipLease? lease = await election.CampaignAsync(Candidate, CancellationToken.None);
            Assert.NotNull(lease);
            await servers[0].KillAsync();
            await UntilRenewedAsync(lease);
            Assert.Null(await election.CampaignAsync(Candidate, CancellationToken.None));
            await servers[1].KillAsync();
            // One of three decides nothing.
            await Assert.ThrowsAnyAsync<IOException>(
                () => election.FindLeaderAsync(Cluster, CancellationToken.None).AsTask());
        }
        finally
        {
            foreach (EtcdServer server in servers) await server.DisposeAsync();
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_campaign_succeeds_although_its_answer_is_lost(bool hasOtherMember)
    {
        await using EtcdServer server = await EtcdServer.StartAsync();
        using var raw = new RawEtcd(server.EndPoint);
        await using var proxy = new LosingProxy(
            server.Port, async () => await raw.FindAsync($"quicksilver/{Cluster}/leader") is not null);
        await using EtcdElection election = Create(
            LongLeases, hasOtherMember ? [proxy.EndPoint, server.EndPoint] : [proxy.EndPoint]);
        await using IMembershipLease? lease = await election.CampaignAsync(Candidate, CancellationToken.None);
        Assert.Equal(1, proxy.Lost);
        Assert.Equal(1, lease?.Term);
        Assert.True(await lease!.RenewAsync(CancellationToken.None));
    }

    private static void LongLeases(EtcdOptions options) => options.LeaseDuration = TimeSpan.FromMinutes(5);

    private static EtcdElection Create(Action<EtcdOptions> change, params string[] endPoints)
    {
        var options = new EtcdOptions { RequestTimeout = TimeSpan.FromMilliseconds(900) };
        foreach (string endPoint in endPoints) options.Endpoints.Add(endPoint);
        change(options);
        return new EtcdElection(options);
    }

    private static async Task FailsAsync(Func<Task> call, string message)
    {
        Exception failure = await Assert.ThrowsAnyAsync<IOException>(() => call().WaitAsync(EtcdServer.Patience));
        Assert.Contains(message, failure.Message, StringComparison.Ordinal);
    }

    // A failure names what the last try met.
    private static async Task UntilRenewedAsync(IMembershipLease lease)
    {
        long start = Environment.TickCount64;
        while (true)
        {
            try
            {
                Assert.True(await lease.RenewAsync(CancellationToken.None), "the lease has ended");
                return;
            }
            catch (IOException) when (Environment.TickCount64 - start < EtcdServer.Patience.TotalMilliseconds)
            {
                await Task.Delay(20);
            }
        }
    }
}
