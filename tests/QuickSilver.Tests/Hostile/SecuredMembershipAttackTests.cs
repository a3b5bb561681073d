using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using QuickSilver.Membership;
using QuickSilver.Security;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Membership;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Hostile;

/// <summary>
/// What a neighbour without the key tries at a secured membership port: to register, to evict by the registration of
/// another's endpoint, to take over a session, to report as a survivor, to ask a host. Each try ends in the handshake,
/// and nobody notices.
/// </summary>
public sealed class SecuredMembershipAttackTests : IAsyncLifetime, IDisposable
{
    private readonly TestHost _events = new();
    private readonly string _key = TestKeys.NewText();
    private readonly X509Certificate2 _own = TestAuthority.SelfSigned("mallory");
    private MembershipHost _host = null!;
    private TestNode _victim = null!;

    public async ValueTask InitializeAsync()
    {
        _host = _events.Start(TestHost.Settings with { Security = TestKeys.Channel(_key) });
        _victim = new TestNode(new OneServer(_host.EndPoint.Port, TestKeys.Channel(_key)), name: "victim");
        await _victim.HearAsync("registered");
        _victim.Join("g");
        await _victim.HearAsync("joined g");
    }

    public async ValueTask DisposeAsync()
    {
        await _victim.DisposeAsync();
        await _host.DisposeAsync();
    }

    public void Dispose() => _own.Dispose();

    [Theory]
    [InlineData("in clear")]
    [InlineData("in clear after the preface")]
    [InlineData("in TLS instead of the proof")]
    [InlineData("in TLS after a proof that was made up")]
    public async Task Frames_without_the_key_do_nothing(string way)
    {
        long failed = _host.Counters.Failed;
        foreach (byte[] frame in Frames())
        {
            byte[] got = await TryAsync(way, frame).WaitAsync(NodeRig.Patience);
            // The handshake's own bytes, or the six of a refusal: nothing of the membership.
            Assert.InRange(got.Length, 0, way.StartsWith("in TLS", StringComparison.Ordinal) ? 32 + 33 : 8);
        }
        long tries = Frames().Count();
        await NodeRig.UntilAsync(() => _host.Counters.Failed >= failed + tries, "every try has failed");
        await NodeRig.UntilAsync(() => _host.Nodes == 1, "the victim alone is counted at the end of a turn");
        _victim.Join("still");
        await _victim.HearAsync("joined still");
        Assert.Empty(_events.Refused);
        Assert.Empty(_events.Faults);
    }

    [Fact]
    public async Task A_recorded_proof_is_worth_nothing_on_another_connection()
    {
        // The relay of a past handshake: the same certificate, the same bytes, other randoms of the server.
        byte[] message = RandomNumberGenerator.GetBytes(72);
        byte[] first = await TryAsync("in TLS instead of the proof", message);
        byte[] second = await TryAsync("in TLS instead of the proof", message);
        Assert.NotEqual(first[..32], second[..32]);
        Assert.Equal((byte)HandshakeFault.UnknownKey, second[32]);
        Assert.All(second[33..], static one => Assert.Equal(0, one));
    }

    private async Task<byte[]> TryAsync(string way, byte[] frame)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(_host.EndPoint);
        await using var wire = new NetworkStream(socket);
        if (way == "in clear") return await SendAsync(wire, socket, frame);
        await wire.WriteAsync(Preface.Of(SecurityMode.PreSharedKey));
        byte[] preface = new byte[Preface.Bytes];
        await wire.ReadExactlyAsync(preface);
        if (way == "in clear after the preface") return await SendAsync(wire, socket, frame);
        await using var secured = new SslStream(wire, false, static (_, _, _, _) => true);
        await secured.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "mallory",
            ClientCertificates = [_own],
        });
        byte[] proof = way == "in TLS instead of the proof" ? [] : RandomNumberGenerator.GetBytes(72);
        // What is shorter than a proof would only be waited for.
        return await SendAsync(secured, socket, [.. proof, .. frame, .. new byte[72]]);
    }

    private static async Task<byte[]> SendAsync(Stream stream, Socket socket, byte[] bytes)
    {
        var got = new MemoryStream();
        try
        {
            await stream.WriteAsync(bytes);
            if (stream is not SslStream) socket.Shutdown(SocketShutdown.Send);
            await stream.CopyToAsync(got);
        }
        catch (Exception ended) when (ended is IOException or SocketException)
        {
            // Cut off.
        }
        return got.ToArray();
    }

    // A registration, the same from the victim's endpoint, and the first frames of what only members may send.
    private static IEnumerable<byte[]> Frames() =>
    [
        RawFrames.Hello("test", 3000),
        RawFrames.Hello("test", 1001),
        RawFrames.Hello("another", 3001),
        RawFrames.Frame([3]),
        RawFrames.Frame([4, .. new byte[40]]),
        RawFrames.Frame([6, .. new byte[30]]),
        RawFrames.Prefix(16 << 20),
    ];
}
