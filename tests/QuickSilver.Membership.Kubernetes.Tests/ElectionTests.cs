using System.Net;
using System.Text.Json.Nodes;

namespace QuickSilver.Membership.Kubernetes.Tests;

/// <summary>Elections by a Lease: who holds it, for how long, and with which term.</summary>
public sealed class ElectionTests : IDisposable
{
    private const string Cluster = "demo";
    private const string Lease = "quicksilver-demo";
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(60);

    private readonly FakeApiServer _server = new();
    private readonly List<KubernetesElection> _elections = [];
    private readonly ManualTime _time = new();

    [Fact]
    public async Task The_first_campaign_wins_and_others_see_where_it_serves()
    {
        KubernetesElection one = Elect();
        KubernetesElection two = Elect();
        Assert.Null(await FindAsync(one));
        await using IMembershipLease lease = (await CampaignAsync(one, "a", lowest: 40))!;
        Assert.Equal((40, Duration), (lease.Term, lease.Duration));
        Assert.Equal(new MembershipLeader("10.0.0.5:14999", 40), await FindAsync(two));
        Assert.Null(await CampaignAsync(two, "b"));
        Assert.True(await lease.RenewAsync(default));
        JsonObject stored = _server.Find(Lease)!;
        Assert.Equal("demo", Annotation(stored, "cluster"));
        Assert.Equal("a", Annotation(stored, "node"));
        Assert.Equal(60, stored["spec"]!["leaseDurationSeconds"]!.GetValue<int>());
    }

    [Fact]
    public async Task Of_many_campaigns_at_once_one_wins_each_time_and_terms_rise()
    {
        KubernetesElection[] all = [.. Enumerable.Range(0, 5).Select(_ => Elect())];
        long last = 0;
        for (int round = 0; round < 10; round++)
        {
            IMembershipLease?[] granted = await Task.WhenAll(
                all.Select((one, index) => CampaignAsync(one, $"n{index}").AsTask()));
            IMembershipLease winner = Assert.Single(granted.OfType<IMembershipLease>());
            Assert.True(winner.Term > last);
            last = winner.Term;
            await winner.DisposeAsync();
            Assert.Null(await FindAsync(all[0]));
        }
        Assert.Equal(9, _server.Find(Lease)!["spec"]!["leaseTransitions"]!.GetValue<int>());
    }

    [Fact]
    public async Task A_holder_that_stands_still_is_followed_after_the_duration_and_loses_its_lease()
    {
        KubernetesElection one = Elect();
        var time = new ManualTime();
        KubernetesElection two = Elect(time);
        IMembershipLease paused = (await CampaignAsync(one, "a"))!;
        Assert.NotNull(await FindAsync(two));
        time.Pass(Duration - TimeSpan.FromMilliseconds(1));
        Assert.NotNull(await FindAsync(two));
        Assert.Null(await CampaignAsync(two, "b"));
        time.Pass(TimeSpan.FromMilliseconds(1));
        Assert.Null(await FindAsync(two));
        await using IMembershipLease next = (await CampaignAsync(two, "b", "10.0.0.6:14999"))!;
        Assert.Equal(paused.Term + 1, next.Term);
        Assert.False(await paused.RenewAsync(default));
        // Nor does it give up what is not its own.
        await paused.DisposeAsync();
        Assert.Equal("10.0.0.6:14999", (await FindAsync(one))!.EndPoint);
        Assert.True(await next.RenewAsync(default));
    }

    [Fact]
    public async Task Each_renewal_begins_the_time_of_others_anew_whatever_the_clocks_say()
    {
        KubernetesElection one = Elect();
        var time = new ManualTime();
        KubernetesElection two = Elect(time);
        await using IMembershipLease lease = (await CampaignAsync(one, "a"))!;
        Assert.NotNull(await FindAsync(two));
        for (int turn = 0; turn < 3; turn++)
        {
            time.Pass(Duration - TimeSpan.FromSeconds(1));
            // The time of day goes back at the holder, and far ahead at the other.
            _time.Day -= TimeSpan.FromDays(1);
            time.Day += TimeSpan.FromDays(1);
            Assert.True(await lease.RenewAsync(default));
            Assert.NotNull(await FindAsync(two));
        }
    }

    [Fact]
    public async Task One_that_looks_for_the_first_time_waits_for_the_whole_duration()
    {
        IMembershipLease dead = (await CampaignAsync(Elect(), "a"))!;
        _time.Pass(Duration * 5);
        var time = new ManualTime { Day = _time.Day + TimeSpan.FromDays(1) };
        KubernetesElection late = Elect(time);
        Assert.Equal(dead.Term, (await FindAsync(late))!.Term);
        Assert.Null(await CampaignAsync(late, "b"));
        time.Pass(Duration);
        Assert.NotNull(await CampaignAsync(late, "b"));
    }

    [Fact]
    public async Task What_an_operator_changes_in_the_Lease_takes_it_from_nobody()
    {
        await using IMembershipLease lease = (await CampaignAsync(Elect(), "a"))!;
        _server.Edit(Lease, static stored => stored["metadata"]!["labels"] = new JsonObject { ["team"] = "ops" });
        Assert.True(await lease.RenewAsync(default));
        Assert.Equal("ops", _server.Find(Lease)!["metadata"]!["labels"]!["team"]!.GetValue<string>());
    }

    [Fact]
    public async Task A_Lease_that_was_deleted_is_lost_and_the_next_term_is_not_lower_than_asked()
    {
        KubernetesElection one = Elect();
        IMembershipLease lost = (await CampaignAsync(one, "a", lowest: 500))!;
        _server.Delete(Lease);
        Assert.False(await lost.RenewAsync(default));
        await lost.DisposeAsync();
        Assert.Null(_server.Find(Lease));
        await using IMembershipLease next = (await CampaignAsync(one, "a", lowest: 501))!;
        Assert.Equal(501, next.Term);
        Assert.False(await lost.RenewAsync(default));
    }

    [Fact]
    public async Task An_answer_that_is_lost_is_found_out()
    {
        KubernetesElection one = Elect(change: static options => options.RequestTimeout = TimeSpan.FromSeconds(5));
        _server.AnswersToLose = 1;
        await using IMembershipLease lease = (await CampaignAsync(one, "a"))!;
        Assert.NotNull(lease);
        _server.AnswersToLose = 1;
        await Assert.ThrowsAsync<IOException>(() => lease.RenewAsync(default).AsTask());
        Assert.True(await lease.RenewAsync(default));
        await lease.DisposeAsync();
        _server.AnswersToLose = 1;
        await using IMembershipLease again = (await CampaignAsync(one, "a"))!;
        Assert.Equal(lease.Term + 1, again.Term);
    }

    [Theory]
    [InlineData(HttpStatusCode.Forbidden, "forbids to get leases 'quicksilver-demo' in namespace 'shop': give the")]
    [InlineData(HttpStatusCode.Unauthorized, "does not accept the token")]
    [InlineData(HttpStatusCode.InternalServerError, "answers 500 when asked to get leases 'quicksilver-demo': because")]
    [InlineData(HttpStatusCode.TooManyRequests, "answers 429")]
    public async Task A_refusal_is_said_plainly(HttpStatusCode code, string text)
    {
        KubernetesElection one = Elect();
        await using IMembershipLease lease = (await CampaignAsync(one, "a"))!;
        _server.Refusal = new FakeApiServer.HttpStatus(code, "because");
        var refusal = await Assert.ThrowsAsync<IOException>(() => FindAsync(one));
        Assert.Contains(text, refusal.Message, StringComparison.Ordinal);
        Assert.Contains("because", refusal.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<IOException>(() => lease.RenewAsync(default).AsTask());
        _server.Refusal = null;
        Assert.True(await lease.RenewAsync(default));
    }

    [Fact]
    public async Task A_server_that_is_slow_or_down_is_named_and_found_again()
    {
        KubernetesElection one = Elect(change: static options => options.RequestTimeout = TimeSpan.FromSeconds(5));
        await using IMembershipLease lease = (await CampaignAsync(one, "a"))!;
        _server.DelayMilliseconds = 60_000;
        var silence = await Assert.ThrowsAsync<IOException>(() => FindAsync(one));
        Assert.StartsWith($"{_server.Place} does not answer within 5 s", silence.Message, StringComparison.Ordinal);
        using var end = new CancellationTokenSource(100);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => one.FindLeaderAsync(Cluster, end.Token).AsTask());
        _server.DelayMilliseconds = 0;
        _server.Stop();
        var refused = await Assert.ThrowsAsync<IOException>(() => FindAsync(one));
        Assert.StartsWith($"{_server.Place} does not answer", refused.Message, StringComparison.Ordinal);
        _server.Start();
        Assert.True(await lease.RenewAsync(default));
    }

    [Fact]
    public async Task What_no_election_wrote_is_named()
    {
        KubernetesElection one = Elect();
        await using IMembershipLease lease = (await CampaignAsync(one, "a"))!;
        await RefusesAsync(static stored => Annotations(stored)["quicksilver/cluster"] = "other", "set LeaseName");
        await RefusesAsync(static stored => Annotations(stored)["quicksilver/term"] = "-1", "quicksilver/term");
        await RefusesAsync(static stored => Annotations(stored)["quicksilver/term"] = "16777216", "quicksilver/term");
        await RefusesAsync(static stored => Annotations(stored).Remove("quicksilver/term"), "quicksilver/term");
        await RefusesAsync(static stored => Annotations(stored).Remove("quicksilver/endpoint"), "who serves");
        await RefusesAsync(static stored => stored["spec"]!["leaseDurationSeconds"] = 0, "who serves");
        await RefusesAsync(static stored => stored["metadata"]!["annotations"] = null, "delete it");

        async Task RefusesAsync(Action<JsonObject> change, string text)
        {
            JsonObject before = _server.Find(Lease)!;
            _server.Edit(Lease, change);
            var refusal = await Assert.ThrowsAsync<InvalidDataException>(() => FindAsync(one));
            Assert.Contains($"'{Lease}'", refusal.Message, StringComparison.Ordinal);
            Assert.Contains(text, refusal.Message, StringComparison.Ordinal);
            _server.Edit(Lease, stored =>
            {
                foreach (string part in (string[])["metadata", "spec"]) stored[part] = before[part]!.DeepClone();
            });
        }
    }

    [Fact]
    public async Task The_last_term_is_followed_by_none()
    {
        KubernetesElection one = Elect();
        await (await CampaignAsync(one, "a", lowest: 16_777_215))!.DisposeAsync();
        var end = await Assert.ThrowsAsync<InvalidDataException>(() => CampaignAsync(one, "a").AsTask());
        Assert.Contains("16777215 is the last there is", end.Message, StringComparison.Ordinal);
    }

    public void Dispose()
    {
        foreach (KubernetesElection one in _elections) one.Dispose();
        _server.Dispose();
    }

    private KubernetesElection Elect(ManualTime? time = null, Action<KubernetesOptions>? change = null)
    {
        // A machine under load may take its time: only the tests of silence wait for so little.
        KubernetesOptions options = _server.Options();
        options.LeaseDuration = Duration;
        options.RequestTimeout = TimeSpan.FromSeconds(30);
        change?.Invoke(options);
        _elections.Add(new KubernetesElection(options, time ?? _time));
        return _elections[^1];
    }

    private static Task<MembershipLeader?> FindAsync(KubernetesElection election) =>
        election.FindLeaderAsync(Cluster, TestContext.Current.CancellationToken).AsTask();

    private static ValueTask<IMembershipLease?> CampaignAsync(
        KubernetesElection election, string node, string endPoint = "10.0.0.5:14999", long lowest = 1) =>
        election.CampaignAsync(
            new MembershipCandidate(Cluster, endPoint, node, lowest), TestContext.Current.CancellationToken);

    private static JsonObject Annotations(JsonObject stored) => stored["metadata"]!["annotations"]!.AsObject();

    private static string? Annotation(JsonObject stored, string key) =>
        Annotations(stored)[$"quicksilver/{key}"]?.GetValue<string>();
}
