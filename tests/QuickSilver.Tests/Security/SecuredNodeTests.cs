using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Security;

/// <summary>Security as an application sees it.</summary>
[Collection(NodeCollection.Name)]
public sealed class SecuredNodeTests : IDisposable
{
    private readonly TestFolder _folder = new();
    private readonly string _keyFile;

    public SecuredNodeTests() => _keyFile = TestKeys.WriteFile(_folder.Path, "cluster.key", TestKeys.NewText());

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Nodes_with_one_key_file_exchange_messages()
    {
        await using var rig = new NodeRig();
        using var log = new RecordingLoggerFactory();
        (Group left, Group right) = await rig.StartPairAsync(change: WithKey);
        await left.SendAsync("secret");
        Assert.Equal(["secret"], await NodeRig.ReadAsync(right, 1));
        QuickSilverNode third = await rig.StartAsync(options =>
        {
            WithKey(options);
            options.UseLoggerFactory(log);
        });
        Assert.Equal(SecurityMode.PreSharedKey, (await third.GetStatisticsAsync()).Security);
        await NodeRig.UntilAsync(() => log.Ids.Contains(1140), "the log says what secures the node");
    }

    [Fact]
    public async Task Nodes_of_one_machine_are_secured_by_a_key_of_their_user_without_configuration()
    {
        await using var rig = new NodeRig();
        using var log = new RecordingLoggerFactory();
        (Group left, Group right) = await rig.StartPairAsync(change: options => options.UseLoggerFactory(log));
        await left.SendAsync("secret");
        Assert.Equal(["secret"], await NodeRig.ReadAsync(right, 1));
        Assert.Equal(SecurityMode.PreSharedKey, (await right.Node.GetStatisticsAsync()).Security);
        await NodeRig.UntilAsync(
            () => log.Records.Any(static record =>
                record.Id.Id == 1140 && record.Text.Contains("loopback.key", StringComparison.Ordinal)),
            "the log names the key");
        Assert.DoesNotContain(1141, log.Ids);
    }

    [Theory]
    [InlineData(MembershipMode.Host)]
    [InlineData(MembershipMode.Client)]
    public async Task A_start_on_a_network_without_a_choice_names_the_choices(MembershipMode mode)
    {
        var options = new QuickSilverOptions();
        options.Membership.Mode = mode;
        if (mode == MembershipMode.Client) options.Membership.Servers.Add("127.0.0.1:1");
        QuickSilverException refusal = await Assert.ThrowsAsync<QuickSilverException>(
            () => QuickSilverNode.StartAsync(options));
        Assert.Equal(ErrorCode.SecurityNotChosen, refusal.Code);
        foreach (string line in (string[])[
            "Security.KeyFile", "openssl rand -base64 32", "Security.UseCertificates", "Security.CertificateFile",
            "Security.UseNone()"])
            Assert.Contains(line, refusal.Message, StringComparison.Ordinal);
        // Among other mistakes it is one of them.
        options.ClusterName = "";
        ArgumentException all = await Assert.ThrowsAsync<ArgumentException>(() => QuickSilverNode.StartAsync(options));
        Assert.Contains("ClusterName: ", all.Message, StringComparison.Ordinal);
        Assert.Contains("Security.Mode: ", all.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_node_without_security_says_so_at_every_start()
    {
        await using var rig = new NodeRig(isSecured: false);
        using var log = new RecordingLoggerFactory();
        for (int starts = 1; starts <= 2; starts++)
        {
            await (await rig.StartAsync(options => options.UseLoggerFactory(log))).DisposeAsync();
            int expected = starts;
            await NodeRig.UntilAsync(() => log.Ids.Count(static id => id == 1141) == expected, "it is logged");
        }
        using var other = new RecordingLoggerFactory();
        QuickSilverNode inMemory = await rig.StartAsync(options =>
        {
            options.Transport.Kind = TransportKind.InMemory;
            options.Security.Mode = SecurityMode.Auto;
            options.UseLoggerFactory(other);
        });
        Assert.Equal(SecurityMode.None, (await inMemory.GetStatisticsAsync()).Security);
        await inMemory.DisposeAsync();
        Assert.DoesNotContain(1141, other.Ids);
    }

    [Fact]
    public async Task A_start_with_another_key_fails_at_once_and_says_what_does_not_fit()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(WithKey);
        string other = TestKeys.WriteFile(_folder.Path, "other.key", TestKeys.NewText());
        MembershipUnavailableException refusal = await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => rig.StartAsync(options => options.Security.KeyFile = other));
        Assert.Equal(ErrorCode.AuthenticationFailed, refusal.Code);
        Assert.Contains("the server has another key", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_start_without_security_at_a_secured_server_fails_at_once_and_says_so()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(WithKey);
        MembershipUnavailableException refusal = await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => rig.StartAsync(static options => options.Security.UseNone()));
        Assert.Equal(ErrorCode.AuthenticationFailed, refusal.Code);
        Assert.Contains("secured", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_start_with_security_at_a_server_without_fails_at_once_and_says_so()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(static options => options.Security.UseNone());
        MembershipUnavailableException refusal = await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => rig.StartAsync(WithKey));
        Assert.Equal(ErrorCode.AuthenticationFailed, refusal.Code);
        Assert.Contains("Security.Mode None", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_is_not_authorized_joins_and_publishes_nothing()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(options =>
        {
            WithKey(options);
            options.Security.Authorize = static request => request.Group switch
            {
                "throws" => throw new InvalidOperationException("the table is gone"),
                "readers" => !request.Publishes,
                "prices" => request.NodeName == "pricing",
                _ => true,
            };
        });
        QuickSilverNode node = await rig.StartAsync(WithKey);
        QuickSilverException refusal = await Assert.ThrowsAsync<QuickSilverException>(() => node.JoinAsync("prices"));
        Assert.Equal(ErrorCode.NotAuthorized, refusal.Code);
        Assert.Contains("'prices'", refusal.Message, StringComparison.Ordinal);
        refusal = await Assert.ThrowsAsync<QuickSilverException>(() => node.OpenPublisherAsync("readers"));
        Assert.Equal(ErrorCode.NotAuthorized, refusal.Code);
        refusal = await Assert.ThrowsAsync<QuickSilverException>(() => node.JoinAsync("throws"));
        Assert.Equal(ErrorCode.NotAuthorized, refusal.Code);
        refusal = await Assert.ThrowsAsync<QuickSilverException>(() => node.JoinManyAsync(["open", "prices"]));
        Assert.Equal(ErrorCode.NotAuthorized, refusal.Code);
        await node.JoinAsync("readers");
        QuickSilverNode pricing = await rig.StartAsync(options =>
        {
            WithKey(options);
            options.NodeName = "pricing";
        });
        await pricing.JoinAsync("prices");
    }

    [Fact]
    public async Task A_server_that_takes_over_lets_nobody_keep_a_group_without_a_right_to_it()
    {
        await using var rig = new NodeRig();
        bool isStrict = false;
        void WithRights(QuickSilverOptions options)
        {
            WithKey(options);
            options.Security.Authorize = request => !Volatile.Read(ref isStrict) || request.NodeName != "late";
        }
        QuickSilverNode server = await rig.StartAsync(WithRights);
        Group kept = await (await rig.StartAsync(WithRights)).JoinAsync("group");
        Group lost = await (await rig.StartAsync(options =>
        {
            WithRights(options);
            options.NodeName = "late";
        })).JoinAsync("group");
        await kept.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        Volatile.Write(ref isStrict, true);
        await server.DisposeAsync();
        NodeEvictedException evicted = await Assert.ThrowsAsync<NodeEvictedException>(
            () => NodeRig.ReadAsync(lost, 1));
        Assert.Contains("Security.Authorize", evicted.Message, StringComparison.Ordinal);
        await kept.SendAsync("still here");
        Assert.Equal(["still here"], await NodeRig.ReadAsync(kept, 1));
    }

    [Fact]
    public async Task Keys_are_rolled_over_a_running_cluster_without_loss_or_eviction()
    {
        await using var rig = new NodeRig();
        var nodes = new List<QuickSilverNode>();
        var groups = new List<Group>();
        for (int index = 0; index < 3; index++)
        {
            nodes.Add(await rig.StartAsync(WithKey));
            groups.Add(await nodes[^1].JoinAsync("group"));
        }
        foreach (Group group in groups) await group.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        string before = File.ReadAllText(_keyFile).Trim();
        string next = TestKeys.NewText();
        int sent = 0;
        foreach (string keys in (string[])[$"{before}\n{next}", $"{next}\n{before}", next])
        {
            await groups[0].SendAsync($"{sent++}");
            TestKeys.WriteFile(_folder.Path, "cluster.key", keys);
            QuickSilverNode late = await rig.StartAsync(WithKey);
            await using Group joined = await late.JoinAsync("group");
            await groups[0].SendAsync($"{sent++}");
            Assert.Single(await NodeRig.ReadAsync(joined, 1));
        }
        // The server goes: every survivor authenticates again, with the new key.
        await nodes[0].DisposeAsync();
        await groups[1].SendAsync($"{sent++}");
        List<string> expected = [.. Enumerable.Range(0, sent).Select(static one => $"{one}")];
        Assert.Equal(expected, await NodeRig.ReadAsync(groups[2], sent));
        await NodeRig.UntilAsync(() => nodes[1].State == NodeState.Running, "a survivor is back");
    }

    [Fact]
    public async Task Certificates_and_their_authority_are_replaced_under_a_running_cluster_without_loss_or_eviction()
    {
        await using var rig = new NodeRig();
        using var authority = new TestAuthority("first");
        using var successor = new TestAuthority("second");
        Write("tls.crt", "tls.key", authority);
        WriteRoots(authority);
        var nodes = new List<QuickSilverNode>();
        var groups = new List<Group>();
        for (int index = 0; index < 3; index++)
        {
            nodes.Add(await rig.StartAsync(WithCertificate));
            groups.Add(await nodes[^1].JoinAsync("group"));
        }
        foreach (Group group in groups) await group.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        int sent = 0;
        Action[] steps =
        [
            () => WriteRoots(authority, successor),
            () => Write("tls.crt", "tls.key", successor),
            () => WriteRoots(successor),
        ];
        foreach (Action step in steps)
        {
            await groups[0].SendAsync($"{sent++}");
            step();
            QuickSilverNode late = await rig.StartAsync(WithCertificate);
            await using Group joined = await late.JoinAsync("group");
            await groups[0].SendAsync($"{sent++}");
            Assert.Single(await NodeRig.ReadAsync(joined, 1));
        }
        await nodes[0].DisposeAsync();
        await groups[1].SendAsync($"{sent++}");
        List<string> expected = [.. Enumerable.Range(0, sent).Select(static one => $"{one}")];
        Assert.Equal(expected, await NodeRig.ReadAsync(groups[2], sent));
        await NodeRig.UntilAsync(() => nodes[1].State == NodeState.Running, "a survivor is back");
        Assert.Equal(SecurityMode.Certificates, (await nodes[1].GetStatisticsAsync()).Security);
    }

    [Fact]
    public async Task Choices_that_do_not_fit_are_refused_with_their_names()
    {
        Assert.StartsWith("Security.KeyFile: ", Fault(static o => o.KeyFile = "/nowhere/key"));
        Assert.StartsWith(
            "Security.Mode: is None, and a key", Fault(o => o.UseNone().KeyFile = _keyFile));
        Assert.StartsWith(
            "Security.Mode: is Auto, and both", Fault(o => (o.KeyFile, o.CertificateFile) = (_keyFile, "tls.crt")));
        Assert.StartsWith("Security.KeyFile: is set, and UsePreSharedKey", Fault(o =>
        {
            o.KeyFile = _keyFile;
            o.UsePreSharedKey(PreSharedKey.FromBase64(TestKeys.NewText()));
        }));
        Assert.StartsWith(
            "Security.UsePreSharedKey: '/nowhere/key'",
            Fault(static o => o.UsePreSharedKey(PreSharedKey.FromFile("/nowhere/key"))));
        Assert.StartsWith(
            "Security.CertificateFile: is not set", Fault(static o => o.Mode = SecurityMode.Certificates));
        Assert.StartsWith(
            "Security.TrustedRootsFile: is not set", Fault(static o => o.CertificateFile = "tls.crt"));
        Assert.StartsWith(
            "Security.UseCertificates: CertificateSelector threw",
            Fault(static o => o.UseCertificates(static c => c.CertificateSelector = () => throw new IOException("x"))));
        var network = new QuickSilverOptions();
        network.Membership.Mode = MembershipMode.Host;
        network.Security.Mode = SecurityMode.PreSharedKey;
        Assert.StartsWith("Security.KeyFile: is not set", Assert.Single(network.Validate()));
        await Task.CompletedTask;
    }

    private static string Fault(Action<SecurityOptions> change)
    {
        var options = new QuickSilverOptions();
        change(options.Security);
        return Assert.Single(options.Validate());
    }

    private void WithCertificate(QuickSilverOptions options)
    {
        options.Security.CertificateFile = _folder.File("tls.crt");
        options.Security.CertificateKeyFile = _folder.File("tls.key");
        options.Security.TrustedRootsFile = _folder.File("ca.crt");
        options.Security.ServerNames.Add("member.example");
    }

    private void Write(string certificateFile, string keyFile, TestAuthority authority)
    {
        using X509Certificate2 issued = authority.Issue("member.example");
        using ECDsa key = issued.GetECDsaPrivateKey()!;
        TestKeys.WriteFile(_folder.Path, keyFile, key.ExportPkcs8PrivateKeyPem());
        TestKeys.WriteFile(_folder.Path, certificateFile, issued.ExportCertificatePem());
    }

    private void WriteRoots(params TestAuthority[] authorities) =>
        TestKeys.WriteFile(
            _folder.Path, "ca.crt",
            string.Join('\n', authorities.Select(static one => one.Root.ExportCertificatePem())));

    private void WithKey(QuickSilverOptions options) => options.Security.KeyFile = _keyFile;
}
