using System.Security.Cryptography.X509Certificates;
using QuickSilver.Membership;
using QuickSilver.Security;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Membership;

namespace QuickSilver.Tests.Security;

/// <summary>Connections of nodes that have certificates.</summary>
public sealed class CertificateTests : IDisposable
{
    private const string Server = "1.3.6.1.5.5.7.3.1";
    private const string Client = "1.3.6.1.5.5.7.3.2";

    private readonly TestAuthority _authority = new();
    private readonly TestAuthority _other = new("other");
    private readonly TestHost _events = new();

    public void Dispose()
    {
        _authority.Dispose();
        _other.Dispose();
    }

    [Theory]
    [InlineData("spiffe://example/pricing")]
    [InlineData("pricing.example")]
    [InlineData("10.0.0.5")]
    public async Task The_first_alternative_name_is_the_identity(string name)
    {
        string? seen = null;
        await using MembershipHost host = _events.Start(TestHost.Settings with
        {
            Security = Channel(_authority.Issue("127.0.0.1")),
            Authorize = request =>
            {
                seen = request.Identity;
                return request.Group == "open";
            },
        });
        await using var node = new TestNode(
            new OneServer(host.EndPoint.Port, Channel(_authority.Issue(name))), name: "n");
        await node.HearAsync("registered");
        node.Join("closed");
        await node.HearAsync("refused closed: NotAllowed");
        node.Join("open");
        await node.HearAsync("joined open");
        Assert.Equal(name, seen);
    }

    [Fact]
    public async Task A_node_that_does_not_fit_is_refused_and_both_sides_say_why()
    {
        await using MembershipHost host = Start(_authority.Issue("127.0.0.1"));
        await RefusedAsync(host, _other.Issue("n"), "is of no authority");
        await RefusedAsync(host, TestAuthority.SelfSigned("n"), "is of no authority");
        await RefusedAsync(host, _authority.Issue("n", from: -2, to: -1), "has expired");
        await RefusedAsync(host, _authority.Issue("n", from: 1, to: 2), "is not valid yet");
        await RefusedAsync(host, _authority.Issue(null), "has no subject alternative name");
        await RefusedAsync(host, _authority.Issue("n", uses: [Server]), "is not for this use");
        Assert.Equal(0, host.Nodes);
    }

    [Fact]
    public async Task A_server_that_does_not_fit_is_refused_and_both_sides_say_why()
    {
        await using (MembershipHost named = Start(_authority.Issue("server.example")))
            await RefusesAsync(named, "none of the names");
        await using (MembershipHost foreign = Start(_other.Issue("127.0.0.1")))
            await RefusesAsync(foreign, "is of no authority");
        await using (MembershipHost client = Start(_authority.Issue("127.0.0.1", uses: [Client])))
            await RefusesAsync(client, "is not for this use");
        await using MembershipHost expired = Start(_authority.Issue("127.0.0.1", from: -2, to: -1));
        await RefusesAsync(expired, "has expired");
    }

    [Fact]
    public async Task A_server_is_known_by_the_names_that_may_serve()
    {
        await using MembershipHost host = Start(_authority.Issue("server.example"));
        ChannelSecurity channel = Channel(_authority.Issue("n"), "other.example", "server.example");
        (await ConnectAsync(host, channel)).Socket!.Dispose();
    }

    [Fact]
    public async Task A_server_with_the_certificate_of_the_node_itself_needs_no_name()
    {
        X509Certificate2 own = _authority.Issue("server.example");
        await using MembershipHost host = Start(own);
        (await ConnectAsync(host, Channel(own))).Socket!.Dispose();
    }

    [Fact]
    public async Task Another_mode_is_refused_and_both_sides_say_so()
    {
        await using MembershipHost host = Start(_authority.Issue("127.0.0.1"));
        Reached reached = await ConnectAsync(host, TestKeys.Channel(TestKeys.NewText()));
        Assert.Contains("Security.Mode Certificates", reached.Failure, StringComparison.Ordinal);
        Assert.True(reached.IsVerdict);
    }

    [Fact]
    public async Task Files_that_change_are_used_from_the_next_connection_on()
    {
        using var folder = new TestFolder();
        Write(folder, _authority.Issue("first.example"), _authority.Root);
        SecurityOptions options = Files(folder);
        List<string> faults = [];
        CertificateSource source = CertificateSource.TryOpen(options, faults.Add, out string? fault)!;
        Assert.Null(fault);
        Assert.Contains("first.example", source.Context.TargetCertificate.Subject, StringComparison.Ordinal);
        Write(folder, _other.Issue("second.example"), _authority.Root, _other.Root);
        Assert.Contains("second.example", source.Context.TargetCertificate.Subject, StringComparison.Ordinal);
        Assert.Equal(2, source.Roots.Count);
        File.WriteAllText(folder.File("tls.crt"), "no certificate");
        Assert.Contains("second.example", source.Context.TargetCertificate.Subject, StringComparison.Ordinal);
        Assert.Contains("Security.CertificateFile", Assert.Single(faults), StringComparison.Ordinal);
        await Task.CompletedTask;
    }

    [Fact]
    public void What_cannot_be_used_is_refused_at_the_start_with_its_option()
    {
        Refuses("Security.UseCertificates: the certificate 'CN=n' expired", _authority.Issue("n", -2, -1));
        Refuses("Security.UseCertificates: the certificate 'CN=n' is valid from", _authority.Issue("n", 1, 2));
        Refuses("has no subject alternative name", _authority.Issue(null));
        Refuses(
            "without its private key", X509CertificateLoader.LoadCertificate(_authority.Issue("n").RawData));
        using var folder = new TestFolder();
        Write(folder, _authority.Issue("n"), _authority.Root);
        // The key of another certificate cannot sign for this one.
        TestKeys.WriteFile(
            folder.Path, "tls.key", _authority.Issue("m").GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem());
        Assert.Null(CertificateSource.TryOpen(Files(folder), null, out string? fault));
        Assert.StartsWith("Security.CertificateFile", fault, StringComparison.Ordinal);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(folder.File("tls.key"), UnixFileMode.UserRead | UnixFileMode.OtherRead);
            Assert.Null(CertificateSource.TryOpen(Files(folder), null, out fault));
            Assert.StartsWith("Security.CertificateKeyFile", fault, StringComparison.Ordinal);
            Assert.Contains("chmod 600", fault, StringComparison.Ordinal);
        }
    }

    private void Refuses(string text, X509Certificate2 certificate)
    {
        Assert.Null(CertificateSource.TryOpen(Options(certificate), null, out string? fault));
        Assert.Contains(text, fault, StringComparison.Ordinal);
    }

    private async Task RefusedAsync(MembershipHost host, X509Certificate2 certificate, string reason)
    {
        long count = host.Counters.Failed + 1;
        Reached reached = await ConnectAsync(host, Unchecked(certificate));
        Assert.True(reached.IsVerdict, reached.Failure);
        Assert.Contains("the server refused this node", reached.Failure, StringComparison.Ordinal);
        Assert.Contains(reason, reached.Failure, StringComparison.Ordinal);
        await NodeRig.UntilAsync(() => host.Counters.Failed == count, $"{count} have failed");
    }

    private async Task RefusesAsync(MembershipHost host, string reason)
    {
        Reached reached = await ConnectAsync(host, Channel(_authority.Issue("n")));
        Assert.True(reached.IsVerdict, reached.Failure);
        Assert.Contains("the server's certificate", reached.Failure, StringComparison.Ordinal);
        Assert.Contains(reason, reached.Failure, StringComparison.Ordinal);
        await NodeRig.UntilAsync(
            () => _events.Unauthenticated.Any(told => told.Contains(reason, StringComparison.Ordinal)),
            $"the host tells: {reason}");
        Assert.Equal(1, host.Counters.Failed);
    }

    private MembershipHost Start(X509Certificate2 certificate) =>
        _events.Start(TestHost.Settings with { Security = Unchecked(certificate) });

    private static Task<Reached> ConnectAsync(MembershipHost host, ChannelSecurity channel) =>
        new OneServer(host.EndPoint.Port, channel).TryConnectAsync(NoEvents.Instance, default).AsTask()
            .WaitAsync(NodeRig.Patience);

    private SecurityOptions Options(X509Certificate2 certificate, params string[] servers) =>
        new SecurityOptions().UseCertificates(options =>
        {
            options.CertificateSelector = () => certificate;
            options.TrustedRoots.Add(_authority.Root);
            foreach (string server in servers) options.ServerNames.Add(server);
        });

    private CertificateChannelSecurity Channel(X509Certificate2 certificate, params string[] servers)
    {
        CertificateSource? source = CertificateSource.TryOpen(
            Options(certificate, servers), null, out string? fault);
        Assert.Null(fault);
        return new CertificateChannelSecurity(source!);
    }

    // A certificate that goes bad while a process runs: the start would refuse it.
    private CertificateChannelSecurity Unchecked(X509Certificate2 certificate) =>
        new(CertificateSource.Unchecked(Options(certificate)));

    private static SecurityOptions Files(TestFolder folder) => new()
    {
        CertificateFile = folder.File("tls.crt"),
        CertificateKeyFile = folder.File("tls.key"),
        TrustedRootsFile = folder.File("ca.crt"),
    };

    private static void Write(TestFolder folder, X509Certificate2 certificate, params X509Certificate2[] roots)
    {
        TestKeys.WriteFile(folder.Path, "tls.crt", certificate.ExportCertificatePem());
        TestKeys.WriteFile(folder.Path, "tls.key", certificate.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem());
        TestKeys.WriteFile(
            folder.Path, "ca.crt", string.Join('\n', roots.Select(static root => root.ExportCertificatePem())));
    }
}
