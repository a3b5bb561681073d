using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using QuickSilver.Protocol.Sites;
using QuickSilver.Security;
using QuickSilver.Tests.Diagnostics;
using QuickSilver.Tests.Security;
using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Links;

namespace QuickSilver.WideArea.Tests;

/// <summary>What a gateway takes for a gateway of another site, by TCP: each refusal is counted, and the log says why.
/// </summary>
public sealed class StreamListenerTests : IAsyncLifetime
{
    private const string Server = "1.3.6.1.5.5.7.3.1";
    private const string Client = "1.3.6.1.5.5.7.3.2";

    private readonly TestAuthority _authority = new();
    private readonly TestAuthority _other = new("other");
    private readonly RecordingLoggerFactory _records = new();
    private readonly StreamInbox _inbox = new();
    private readonly List<IAsyncDisposable> _all = [];
    private ConnectionRefusals _refusals = null!;
    private StreamCarrier _carrier = null!;

    public ValueTask InitializeAsync()
    {
        var log = new GatewayLog(_records);
        _refusals = new ConnectionRefusals("tokyo", log);
        _carrier = new StreamCarrier("tokyo", _inbox, _refusals, log);
        _all.AddRange([_carrier, log]);
        return ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable one in _all) await one.DisposeAsync();
        _authority.Dispose();
        _other.Dispose();
    }

    [Fact]
    public async Task A_gateway_with_a_good_certificate_is_taken_and_known_by_its_sites()
    {
        IPEndPoint place = Listen(_authority.Issue("tokyo"));
        _carrier.SetLoop(static () => { });
        GatewayChannel channel = Channel(_authority.Issue("oslo"), "tokyo");
        using Socket socket = await CallAsync(place, channel);
        Assert.Equal(9, channel.Sites.First);
        StreamEvent? told = null;
        await SiteRig.UntilAsync(() => _inbox.TryTake(out told), () => "a connection");
        SiteSet sites = told!.Connection.Sites;
        Assert.Equal((StreamEventKind.Opened, 1, 2), (told.Kind, sites.Count, sites.First));
        Assert.Equal("oslo", told.Connection.Identity);
        Assert.True(_carrier.HasOf(2));
        Assert.False(_carrier.HasOf(0));
        Assert.Equal(0, _refusals.Count);
        await SiteRig.UntilAsync(() => _records.Ids.Contains(1734), () => "what the log says of it");
        // The loop ends, and with it the connection.
        _carrier.SetLoop(null);
        await ReadToEndAsync(socket);
        await SiteRig.UntilAsync(() => !_carrier.HasOf(2), () => "the end of the connection");
    }

    [Fact]
    public async Task A_certificate_that_does_not_fit_is_refused_and_both_ends_know_why()
    {
        IPEndPoint place = Listen(_authority.Issue("tokyo"));
        _carrier.SetLoop(static () => { });
        await RefusesAsync(_other.Issue("oslo"), HandshakeFault.Untrusted, "is of no authority");
        await RefusesAsync(_authority.Issue("paris"), HandshakeFault.WrongName, "none of the names");
        await RefusesAsync(_authority.Issue("oslo", from: -2, to: -1), HandshakeFault.Expired, "has expired");
        await RefusesAsync(_authority.Issue("oslo", from: 1, to: 2), HandshakeFault.NotYetValid, "is not valid yet");
        await RefusesAsync(_authority.Issue("oslo", uses: [Server]), HandshakeFault.WrongUse, "is not for this use");
        Assert.False(_carrier.HasOf(2));
        Assert.Equal(5, _refusals.Count);
        // One record a minute.
        await SiteRig.UntilAsync(() => _records.Ids.Contains(1735), () => "what the log says of it");
        Assert.Contains(
            "is of no authority", Assert.Single(_records.Records, static one => one.Id.Id == 1735).Text,
            StringComparison.Ordinal);

        async Task RefusesAsync(X509Certificate2 certificate, HandshakeFault fault, string text)
        {
            long before = _refusals.Count;
            var refusal = await Assert.ThrowsAsync<HandshakeException>(
                () => CallAsync(place, Channel(certificate, "tokyo")));
            Assert.Equal(fault, refusal.Fault);
            Assert.Contains("the other gateway refused this one", refusal.Message, StringComparison.Ordinal);
            Assert.Contains(text, refusal.Message, StringComparison.Ordinal);
            await SiteRig.UntilAsync(() => _refusals.Count > before, () => "the refusal is counted");
        }
    }

    [Fact]
    public async Task A_gateway_that_does_not_fit_is_refused_by_the_end_that_calls()
    {
        _carrier.SetLoop(static () => { });
        await RefusesAsync(_other.Issue("tokyo"), HandshakeFault.Untrusted);
        await RefusesAsync(_authority.Issue("paris"), HandshakeFault.WrongName);
        await RefusesAsync(_authority.Issue("tokyo", from: -2, to: -1), HandshakeFault.Expired);
        await RefusesAsync(_authority.Issue("tokyo", uses: [Client]), HandshakeFault.WrongUse);
        Assert.False(_carrier.HasOf(2));

        async Task RefusesAsync(X509Certificate2 certificate, HandshakeFault fault)
        {
            IPEndPoint place = Listen(certificate);
            var refusal = await Assert.ThrowsAsync<HandshakeException>(
                () => CallAsync(place, Channel(_authority.Issue("oslo"), "tokyo")));
            Assert.Equal(fault, refusal.Fault);
        }
    }

    [Fact]
    public async Task Names_are_those_that_the_link_gives()
    {
        IPEndPoint place = Listen(_authority.Issue("gateway.tokyo.example"));
        _carrier.SetLoop(static () => { });
        GatewayChannel channel = Channel(_authority.Issue("gateways.paris.example"), "gateway.tokyo.example");
        using Socket socket = await CallAsync(place, channel);
        await SiteRig.UntilAsync(() => _carrier.HasOf(3), () => "a connection of paris");
    }

    [Fact]
    public async Task A_certificate_that_was_renewed_serves_the_next_connection()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("quicksilver-");
        try
        {
            string file = Path.Combine(folder.FullName, "gateway.pem"), roots = Path.Combine(folder.FullName, "ca.pem");
            File.WriteAllText(roots, _authority.Root.ExportCertificatePem());
            Write(_authority.Issue("tokyo"));
            var options = new SiteGatewayOptions { CertificateFile = file, TrustedRootsFile = roots };
            List<string> faults = [];
            CertificateSource source = GatewayStreams.ReadCertificates(options, faults.Add);
            IPEndPoint place = Listen(source);
            _carrier.SetLoop(static () => { });
            (await CallAsync(place, Channel(_authority.Issue("oslo"), "tokyo"))).Dispose();
            Write(_authority.Issue("*.tokyo.example"));
            (await CallAsync(place, Channel(_authority.Issue("oslo"), "gateway.tokyo.example"))).Dispose();
            File.WriteAllText(file, "none");
            (await CallAsync(place, Channel(_authority.Issue("oslo"), "gateway.tokyo.example"))).Dispose();
            Assert.StartsWith("CertificateFile: ", Assert.Single(faults), StringComparison.Ordinal);

            void Write(X509Certificate2 certificate)
            {
                using var key = certificate.GetECDsaPrivateKey()!;
                File.WriteAllText(file, certificate.ExportCertificatePem() + "\n" + key.ExportPkcs8PrivateKeyPem());
                if (!OperatingSystem.IsWindows())
                    File.SetUnixFileMode(file, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            }
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task A_caller_that_sends_nothing_or_junk_is_ended()
    {
        IPEndPoint place = Listen(_authority.Issue("tokyo"), TimeSpan.FromMilliseconds(300));
        _carrier.SetLoop(static () => { });
        using (Socket silent = await ConnectAsync(place))
            Assert.Equal(0, await ReadToEndAsync(silent));
        Assert.Equal(1, _refusals.Count);
        using (Socket junk = await ConnectAsync(place))
        {
            await junk.SendAsync(new byte[100]);
            await ReadToEndAsync(junk);
        }
        await SiteRig.UntilAsync(() => _refusals.Count == 2, () => $"2: {_refusals.Count}");
        // A health check.
        (await ConnectAsync(place)).Dispose();
        // One that sends more than a handshake has, behind a preface.
        using (Socket flood = await ConnectAsync(place))
        {
            await flood.SendAsync(Preface.Of(SecurityMode.Certificates));
            await ReadToEndAsync(flood);
        }
        await SiteRig.UntilAsync(() => _refusals.Count == 3, () => $"3: {_refusals.Count}");
        Assert.Equal(3, _refusals.Count);
    }

    [Fact]
    public async Task Callers_that_do_not_prove_themselves_are_bounded_and_a_good_one_finds_room()
    {
        IPEndPoint place = Listen(_authority.Issue("tokyo"), TimeSpan.FromSeconds(50));
        _carrier.SetLoop(static () => { });
        var crowd = new List<Socket>();
        for (int caller = 0; caller < StreamListener.MostUnproven + 10; caller++) crowd.Add(await ConnectAsync(place));
        (await CallAsync(place, Channel(_authority.Issue("oslo"), "tokyo"))).Dispose();
        await SiteRig.UntilAsync(() => _refusals.Count >= 10, () => $"10: {_refusals.Count}");
        Assert.InRange(_refusals.Count, 10, 11);
        // The oldest have gone.
        Assert.Equal(0, await ReadToEndAsync(crowd[0]));
        foreach (Socket caller in crowd) caller.Dispose();
    }

    [Fact]
    public async Task Connections_of_one_site_are_bounded()
    {
        IPEndPoint place = Listen(_authority.Issue("tokyo"));
        _carrier.SetLoop(static () => { });
        GatewayChannel channel = Channel(_authority.Issue("oslo"), "tokyo");
        var all = new List<Socket>();
        for (int caller = 0; caller < StreamCarrier.MostOfSite + 3; caller++) all.Add(await CallAsync(place, channel));
        await SiteRig.UntilAsync(() => _refusals.Count == 3, () => $"3: {_refusals.Count}");
        foreach (Socket caller in all) caller.Dispose();
    }

    [Fact]
    public async Task While_no_loop_runs_callers_are_turned_away()
    {
        IPEndPoint place = Listen(_authority.Issue("tokyo"));
        var refusal = await Assert.ThrowsAsync<HandshakeException>(
            () => CallAsync(place, Channel(_authority.Issue("oslo"), "tokyo")));
        Assert.Equal(HandshakeFault.Ended, refusal.Fault);
        Assert.Equal(0, _refusals.Count);
    }

    private static async Task<Socket> ConnectAsync(IPEndPoint place)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(place).WaitAsync(SiteRig.Patience);
        return socket;
    }

    private static async Task<int> ReadToEndAsync(Socket socket)
    {
        int all = 0;
        byte[] buffer = new byte[4096];
        try
        {
            while (true)
            {
                int read = await socket.ReceiveAsync(buffer).WaitAsync(SiteRig.Patience);
                if (read == 0) return all;
                all += read;
            }
        }
        catch (SocketException)
        {
            return all;
        }
    }

    private static async Task<Socket> CallAsync(IPEndPoint place, GatewayChannel channel)
    {
        Socket socket = await ConnectAsync(place);
        try
        {
            await channel.OpenAsNodeAsync(socket, "127.0.0.1", CancellationToken.None).WaitAsync(SiteRig.Patience);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    // Of two sites may call.
    private IPEndPoint Listen(X509Certificate2 certificate, TimeSpan? time = null) => Listen(Source(certificate), time);

    private IPEndPoint Listen(CertificateSource source, TimeSpan? time = null)
    {
        Socket socket = StreamListener.Listen(new IPEndPoint(IPAddress.Loopback, 0));
        var place = (IPEndPoint)socket.LocalEndPoint!;
        StreamPeer[] peers = [new(2, "oslo", "oslo"), new(3, "paris", "gateways.paris.example")];
        _all.Insert(0, new StreamListener(socket, _carrier, source, peers, _refusals, time));
        return place;
    }

    private GatewayChannel Channel(X509Certificate2 certificate, string name) =>
        new(Source(certificate), [new StreamPeer(9, "tokyo", name)]);

    private CertificateSource Source(X509Certificate2 certificate)
    {
        var options = new SecurityOptions();
        options.UseCertificates(certificates =>
        {
            certificates.CertificateSelector = () => certificate;
            certificates.TrustedRoots.Add(_authority.Root);
        });
        // What is expired would be refused at the start.
        return CertificateSource.Unchecked(options);
    }
}
