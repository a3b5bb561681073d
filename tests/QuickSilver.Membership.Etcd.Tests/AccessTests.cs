using Etcdserverpb;
using QuickSilver.Membership.Etcd.Tests.Stores;

namespace QuickSilver.Membership.Etcd.Tests;

/// <summary>An etcd with users, and one with certificates.</summary>
public sealed class AccessTests
{
    private static readonly MembershipCandidate Candidate = new("cluster", "10.0.0.5:14999", "node", 1);

    [Fact]
    public async Task A_user_with_the_right_to_the_keys_elects_also_after_a_restart_of_the_store()
    {
        await using EtcdServer server = await EtcdServer.StartAsync();
        await AddUsersAsync(server);
        await using var election = new EtcdElection(As(server, "nodes", "secret"));
        await using IMembershipLease? lease = await election.CampaignAsync(Candidate, CancellationToken.None);
        Assert.NotNull(lease);
        Assert.True(await lease.RenewAsync(CancellationToken.None));
        // The token of the user is gone with it.
        await server.KillAsync();
        server.Start();
        await using var another = new EtcdElection(As(server, "nodes", "secret"));
        await EtcdServer.UntilAsync(
            async () =>
            {
                try
                {
                    return await another.FindLeaderAsync("cluster", CancellationToken.None) is not null;
                }
                catch (IOException)
                {
                    return false;
                }
            },
            "etcd answers");
        Assert.True(await lease.RenewAsync(CancellationToken.None));
    }

    [Fact]
    public async Task A_token_that_is_no_longer_valid_is_asked_for_again()
    {
        // They end after a second.
        await using EtcdServer server = await EtcdServer.StartAsync("http", "--auth-token-ttl", "1");
        await AddUsersAsync(server);
        await using var election = new EtcdElection(As(server, "nodes", "secret"));
        await using IMembershipLease? lease = await PatientlyAsync(
            () => election.CampaignAsync(Candidate, CancellationToken.None));
        Assert.NotNull(lease);
        await Task.Delay(TimeSpan.FromSeconds(3));
        Assert.NotNull(await PatientlyAsync(() => election.FindLeaderAsync("cluster", CancellationToken.None)));
        Assert.True(await PatientlyAsync(() => lease.RenewAsync(CancellationToken.None)));
    }

    // A call on a busy machine may take longer than it may last.
    private static async Task<T> PatientlyAsync<T>(Func<ValueTask<T>> call)
    {
        for (int tries = 1; ; tries++)
        {
            try
            {
                return await call();
            }
            catch (IOException) when (tries < 10)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(100));
            }
        }
    }

    [Theory]
    [InlineData("nodes", "wrong", "authentication failed")]
    [InlineData(null, null, "user name is empty")]
    [InlineData("guest", "secret", "permission denied")]
    public async Task Another_user_is_refused_with_what_etcd_says(string? user, string? password, string reason)
    {
        await using EtcdServer server = await EtcdServer.StartAsync();
        await AddUsersAsync(server);
        await using var election = new EtcdElection(As(server, user, password));
        IOException refusal = await Assert.ThrowsAnyAsync<IOException>(
            () => election.FindLeaderAsync("cluster", CancellationToken.None).AsTask());
        Assert.Contains($"127.0.0.1:{server.Port} refuses: ", refusal.Message, StringComparison.Ordinal);
        Assert.Contains(reason, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Certificates_of_both_ends_are_shown_and_checked()
    {
        EtcdServer.Require();
        using var papers = new Papers();
        using var others = new Papers();
        await using EtcdServer server = await EtcdServer.StartAsync(
            "https", "--cert-file", papers.Certificate, "--key-file", papers.Key,
            "--client-cert-auth", "--trusted-ca-file", papers.Root);
        await using var election = new EtcdElection(With(server, papers, papers));
        await EtcdServer.UntilAsync(
            async () =>
            {
                try
                {
                    return await election.FindLeaderAsync("cluster", CancellationToken.None) is null;
                }
                catch (IOException)
                {
                    return false;
                }
            },
            "etcd answers");
        await using IMembershipLease? lease = await election.CampaignAsync(Candidate, CancellationToken.None);
        Assert.NotNull(lease);
        Assert.True(await lease.RenewAsync(CancellationToken.None));

        await FailsAsync(With(server, others, papers), $"127.0.0.1:{server.Port} does not answer: ");
        await FailsAsync(With(server, papers, others), $"127.0.0.1:{server.Port} ");
        await FailsAsync(With(server, papers, null), $"127.0.0.1:{server.Port} ");
    }

    [Fact]
    public async Task A_file_that_holds_no_certificate_is_named()
    {
        using var papers = new Papers();
        var options = new EtcdOptions { Endpoints = { "127.0.0.1:2379" }, TrustedRootsFile = papers.Root + "x" };
        await FailsAsync(options, $"TrustedRootsFile: '{papers.Root}x' is not valid: ");
        options.TrustedRootsFile = papers.Key;
        await FailsAsync(options, $"TrustedRootsFile: '{papers.Key}' is not valid: it has no certificate");
        options.TrustedRootsFile = papers.Root;
        options.CertificateFile = papers.Certificate;
        await FailsAsync(options, $"CertificateFile: '{papers.Certificate}' is not valid: ");
    }

    private static async Task FailsAsync(EtcdOptions options, string message)
    {
        await using var election = new EtcdElection(options);
        IOException failure = await Assert.ThrowsAnyAsync<IOException>(
            () => election.FindLeaderAsync("cluster", CancellationToken.None).AsTask());
        Assert.Contains(message, failure.Message, StringComparison.Ordinal);
    }

    private static EtcdOptions With(EtcdServer server, Papers roots, Papers? own)
    {
        EtcdOptions options = server.Options();
        options.LeaseDuration = TimeSpan.FromMinutes(5);
        options.TrustedRootsFile = roots.Root;
        options.CertificateFile = own?.Certificate;
        options.CertificateKeyFile = own?.Key;
        return options;
    }

    private static EtcdOptions As(EtcdServer server, string? user, string? password)
    {
        EtcdOptions options = server.Options();
        options.LeaseDuration = TimeSpan.FromMinutes(5);
        options.User = user;
        options.Password = password;
        return options;
    }

    private static async Task AddUsersAsync(EtcdServer server)
    {
        using var raw = new RawEtcd(server.EndPoint);
        await raw.Users.UserAddAsync(new AuthUserAddRequest { Name = "root", Password = "root" });
        await raw.Users.UserGrantRoleAsync(new AuthUserGrantRoleRequest { User = "root", Role = "root" });
        await raw.Users.RoleAddAsync(new AuthRoleAddRequest { Name = "nodes" });
        await raw.Users.RoleGrantPermissionAsync(new AuthRoleGrantPermissionRequest
        {
            Name = "nodes",
            Perm = new Authpb.Permission
            {
                PermType = Authpb.Permission.Types.Type.Readwrite,
                Key = Google.Protobuf.ByteString.CopyFromUtf8("quicksilver/"),
                RangeEnd = Google.Protobuf.ByteString.CopyFromUtf8("quicksilver0"),
            },
        });
        await raw.Users.UserAddAsync(new AuthUserAddRequest { Name = "nodes", Password = "secret" });
        await raw.Users.UserGrantRoleAsync(new AuthUserGrantRoleRequest { User = "nodes", Role = "nodes" });
        await raw.Users.UserAddAsync(new AuthUserAddRequest { Name = "guest", Password = "secret" });
        await raw.Users.AuthEnableAsync(new AuthEnableRequest());
    }
}
