using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using QuickSilver.Bench.Processes;
using QuickSilver.Tests.Networks;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Processes;

/// <summary>
/// Keys and certificates are replaced under a running cluster of five processes, each with files of its own. Messages
/// flow all the time. In each step the files are replaced one after another. When half of them are, the membership
/// server is stopped and started: all authenticate again, some with the new files and some with the old ones.
/// </summary>
[Collection(ProcessCollection.Name)]
public sealed class RollingTests : IAsyncLifetime
{
    private const int Members = 4;
    private const int Burst = 500;
    private const int Rate = 250;
    private const string Group = "group";

    private readonly TestFolder _folder = new();
    private readonly List<NetworkNode> _members = [];
    private readonly List<NetworkNode> _visitors = [];
    private readonly string _port = ProgramCluster.Text(FreePort.Find());
    private NetworkNode? _server;
    private long _sent;

    public ValueTask InitializeAsync() => default;

    public async ValueTask DisposeAsync()
    {
        foreach (NetworkNode node in _visitors) await node.DisposeAsync();
        foreach (NetworkNode node in _members) await node.DisposeAsync();
        if (_server is not null) await _server.DisposeAsync();
        _folder.Dispose();
    }

    [Fact]
    public async Task A_key_is_replaced_without_loss_or_eviction()
    {
        string before = TestKeys.NewText();
        string next = TestKeys.NewText();
        await StartAsync(Give(before), Options);
        await RollAsync(Give($"{before}\n{next}"), Options);
        await RollAsync(Give($"{next}\n{before}"), Options);
        await RollAsync(Give(next), Options);
        Give(before)("late");
        NetworkNode late = NetworkNode.LaunchHere("late", [.. Client, .. Options("late")]);
        _visitors.Add(late);
        await late.TellAsync("start");
        await late.WaitForAsync("failed start", nameof(ErrorCode.AuthenticationFailed));
        AssertUndisturbed();

        Action<string> Give(string keys) => name => TestKeys.WriteFile(_folder.Path, $"{name}.key", keys);

        string[] Options(string name) => [$"Security:KeyFile={_folder.File($"{name}.key")}"];
    }

    [Fact(Explicit = true)]
    public async Task Certificates_and_their_authority_are_replaced_without_loss_or_eviction()
    {
        using var before = new TestAuthority("first");
        using var next = new TestAuthority("second");
        await StartAsync(
            name =>
            {
                Trust(before)(name);
                Issue(before)(name);
            },
            Options);
        // A newcomer of a step has all that the members will have at its end.
        await RollAsync(Trust(before, next), Options, Issue(before));
        await RollAsync(Issue(next), Options, Trust(before, next));
        await RollAsync(Trust(next), Options, Issue(next));
        AssertUndisturbed();

        Action<string> Trust(params TestAuthority[] authorities) => name => TestKeys.WriteFile(
            _folder.Path, $"{name}.ca",
            string.Join('\n', authorities.Select(static one => one.Root.ExportCertificatePem())));

        Action<string> Issue(TestAuthority authority) => name =>
        {
            using X509Certificate2 issued = authority.Issue("member.example");
            using ECDsa key = issued.GetECDsaPrivateKey()!;
            // One file, so that a reader never sees a certificate with another's key.
            TestKeys.WriteFile(
                _folder.Path, $"{name}.crt", issued.ExportCertificatePem() + '\n' + key.ExportPkcs8PrivateKeyPem());
        };

        string[] Options(string name) =>
        [
            $"Security:CertificateFile={_folder.File($"{name}.crt")}",
            $"Security:TrustedRootsFile={_folder.File($"{name}.ca")}",
            "Security:ServerNames:0=member.example",
        ];
    }

    private string[] Common =>
    [
        $"Membership:Port={_port}", "Transport:Interface=127.0.0.1", "Membership:FailureTimeout=00:01:00",
        "Membership:HeartbeatInterval=00:00:01", "Membership:ReconnectGrace=00:00:40",
    ];

    private string[] Client => ["Membership:Mode=Client", $"Membership:Servers:0=127.0.0.1:{_port}", .. Common];

    private static IEnumerable<string> Names => Enumerable.Range(0, Members).Select(static index => $"member{index}");

    private async Task StartAsync(Action<string> give, Func<string, string[]> options)
    {
        give("server");
        foreach (string name in Names) give(name);
        await StartServerAsync(options);
        foreach (string name in Names)
            _members.Add(await NetworkNode.StartHereAsync(name, [.. Client, .. options(name)]));
        foreach (NetworkNode member in _members) await member.AskAsync($"join {Group}", $"joined {Group}");
        foreach (NetworkNode member in _members)
        {
            await NetworkNode.UntilAsync(
                async () => (await member.AskAsync($"members {Group}", $"members {Group}")).Split(' ').Length
                    == Members + 2);
        }
    }

    private async Task StartServerAsync(Func<string, string[]> options) => _server = await NetworkNode.StartHereAsync(
        "server", ["Membership:Mode=Host", .. Common, .. options("server")]);

    private async Task RollAsync(
        Action<string> replace, Func<string, string[]> options, Action<string>? others = null)
    {
        foreach (NetworkNode member in _members) await member.TellAsync($"send {Group} {Burst} 100 {Rate}");
        string[] names = ["server", .. Names];
        int half = names.Length / 2;
        foreach (string name in names[..half]) replace(name);
        await _server!.AskAsync("stop", "stopped");
        await _server.DisposeAsync();
        await StartServerAsync(options);
        foreach (string name in names[half..]) replace(name);
        string late = $"late{_visitors.Count}";
        replace(late);
        others?.Invoke(late);
        NetworkNode visitor = await NetworkNode.StartHereAsync(late, [.. Client, .. options(late)]);
        _visitors.Add(visitor);
        await visitor.AskAsync($"join {Group}", $"joined {Group}");
        await visitor.AskAsync($"leave {Group}", $"left {Group}");
        _sent += Members * Burst;
        foreach (NetworkNode member in _members) await member.WaitForAsync($"sent {Group} {Burst}");
        foreach (NetworkNode member in _members) await member.WaitForCountAsync(Group, _sent);
    }

    private void AssertUndisturbed()
    {
        foreach (NetworkNode member in _members)
        {
            Assert.DoesNotContain(member.Lines, static line =>
                line.StartsWith("ended ", StringComparison.Ordinal)
                || line.StartsWith("rejoined ", StringComparison.Ordinal)
                || line.StartsWith("failed ", StringComparison.Ordinal)
                || line.Contains(nameof(LossReported), StringComparison.Ordinal));
        }
    }
}
