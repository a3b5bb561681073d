using System.ComponentModel;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using QuickSilver.Membership;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>A connection ends whatever its stream throws, and never throws itself.</summary>
public sealed class FrameConnectionTests
{
    public static TheoryData<Exception> Failures =>
    [
        new IOException("broken"),
        new InvalidOperationException("not open"),
        new ObjectDisposedException("stream"),
        new SocketException((int)SocketError.ConnectionReset),
        new Win32Exception("TLS of Windows"),
        new AuthenticationException("TLS"),
        new CryptographicException("unexpected eof while reading"),
    ];

    [Theory]
    [MemberData(nameof(Failures), DisableDiscoveryEnumeration = true)]
    public async Task A_failure_of_the_farewell_ends_the_connection(Exception failure)
    {
        (FrameConnection connection, Socket far) = await ConnectAsync(new FailingTls { Farewell = failure });
        using (far)
        {
            Task<FrameEnd> run = connection.RunAsync();
            connection.Close();
            FrameEnd end = await run.WaitAsync(NodeRig.Patience, TestContext.Current.CancellationToken);
            Assert.Equal(FrameEnd.Stopped, end);
        }
    }

    [Theory]
    [MemberData(nameof(Failures), DisableDiscoveryEnumeration = true)]
    public async Task A_failure_while_receiving_ends_the_connection(Exception failure)
    {
        (FrameConnection connection, Socket far) = await ConnectAsync(new FailingTls { Receiving = failure });
        using (far)
        {
            FrameEnd end = await connection.RunAsync()
                .WaitAsync(NodeRig.Patience, TestContext.Current.CancellationToken);
            Assert.Equal(failure is SocketException ? FrameEnd.Reset : FrameEnd.Broken, end);
        }
    }

    private static async Task<(FrameConnection Connection, Socket Far)> ConnectAsync(Stream stream)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var far = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await far.ConnectAsync(listener.LocalEndpoint, TestContext.Current.CancellationToken);
        Socket near = await listener.AcceptSocketAsync(TestContext.Current.CancellationToken);
        return (new FrameConnection(near, new NoReceiver(), TestHost.Settings.Limits, stream), far);
    }

    private sealed class NoReceiver : IFrameReceiver
    {
        public void OnFrames(FrameConnection connection, FrameBatch frames) => throw new InvalidOperationException();
    }

    // It was never opened, so it does nothing of TLS.
    private sealed class FailingTls() : SslStream(new MemoryStream())
    {
        public Exception? Farewell { get; init; }

        public Exception? Receiving { get; init; }

        public override Task ShutdownAsync() => Farewell is null ? Task.CompletedTask : Task.FromException(Farewell);

        public override async ValueTask<int> ReadAsync(
            Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (Receiving is not null) throw Receiving;
            await Task.Delay(Timeout.Infinite, cancellationToken);
            return 0;
        }
    }
}
