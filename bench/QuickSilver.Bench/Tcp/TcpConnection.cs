using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Bench.Tcp;

/// <summary>One TCP connection, encrypted by TLS 1.3 or not, read and written as a stream.</summary>
internal sealed class TcpConnection : IDisposable
{
    private const string Name = "quicksilver-bench";
    private static readonly TimeSpan ConnectLimit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan ConnectPause = TimeSpan.FromMilliseconds(50);

    private readonly Socket _socket;

    private TcpConnection(Socket socket, Stream stream)
    {
        _socket = socket;
        Stream = stream;
    }

    /// <summary>Its bytes.</summary>
    public Stream Stream { get; }

    /// <summary>Takes a connection that was asked for.</summary>
    /// <param name="listener">Where.</param>
    /// <param name="certificate">What proves this side, with TLS; null: no TLS.</param>
    public static async Task<TcpConnection> AcceptAsync(Socket listener, X509Certificate2? certificate)
    {
        Socket socket = await listener.AcceptAsync();
        socket.NoDelay = true;
        var plain = new NetworkStream(socket);
        if (certificate is null) return new TcpConnection(socket, plain);
        var secured = new SslStream(plain);
        await secured.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = certificate,
            EnabledSslProtocols = SslProtocols.Tls13,
        });
        return new TcpConnection(socket, secured);
    }

    /// <summary>Connects; tries again while the other side is not yet listening.</summary>
    /// <exception cref="SocketException">It never was.</exception>
    public static async Task<TcpConnection> ConnectAsync(IPEndPoint to, bool isSecured)
    {
        Socket socket = await ConnectSocketAsync(to);
        var plain = new NetworkStream(socket);
        if (!isSecured) return new TcpConnection(socket, plain);
        // The certificate is of this run alone. The cost of bytes is measured, so any certificate is taken.
        var secured = new SslStream(plain, leaveInnerStreamOpen: false, static (_, _, _, _) => true);
        await secured.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = Name,
            EnabledSslProtocols = SslProtocols.Tls13,
        });
        return new TcpConnection(socket, secured);
    }

    /// <summary>A socket that is connected.</summary>
    /// <exception cref="SocketException">Nobody ever listened.</exception>
    public static async Task<Socket> ConnectSocketAsync(IPEndPoint to)
    {
        DateTime limit = DateTime.UtcNow + ConnectLimit;
        while (true)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            try
            {
                await socket.ConnectAsync(to);
                return socket;
            }
            catch (SocketException) when (DateTime.UtcNow < limit)
            {
                socket.Dispose();
                await Task.Delay(ConnectPause);
            }
        }
    }

    /// <summary>A certificate of this process's own.</summary>
    public static X509Certificate2 MakeCertificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={Name}", key, HashAlgorithmName.SHA256);
        DateTimeOffset now = DateTimeOffset.UtcNow;
        return request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
    }

    /// <summary>Says that no more is sent.</summary>
    public void EndSending()
    {
        if (Stream is SslStream secured) secured.ShutdownAsync().GetAwaiter().GetResult();
        _socket.Shutdown(SocketShutdown.Send);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Stream.Dispose();
        _socket.Dispose();
    }
}
