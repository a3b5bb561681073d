using System.Net;
using System.Net.Sockets;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>
/// One node's connection to a <see cref="MembershipHost"/>. It passes received frames to the host's loop, and is the
/// loop's record of the connection. Its fields belong to the loop.
/// </summary>
internal sealed class HostedConnection : IFrameReceiver, IRequestTarget
{
    private const long Opened = 0;
    private const long Frames = 1;
    private const long Ended = 2;

    private readonly HostedServer _server;
    private readonly RequestQueue _requests;

    /// <summary>Takes ownership of an accepted socket.</summary>
    public HostedConnection(long id, Socket socket, FrameLimits limits, HostedServer server, RequestQueue requests)
    {
        Id = id;
        // Null when the other side has closed it already, which the connection detects later.
        IPAddress remote = (socket.RemoteEndPoint as IPEndPoint)?.Address ?? IPAddress.None;
        Address = remote.IsIPv4MappedToIPv6 ? remote.MapToIPv4() : remote;
        _server = server;
        _requests = requests;
        Link = new FrameConnection(socket, this, limits);
    }

    /// <summary>The number by which the servers know the connection.</summary>
    public long Id { get; }

    /// <summary>The source address.</summary>
    public IPAddress Address { get; }

    /// <summary>Secures the connection; null for none.</summary>
    public ChannelSecurity? Security { get; init; }

    /// <summary>Limits how many handshakes compute at the same time.</summary>
    public required SemaphoreSlim Handshakes { get; init; }

    /// <summary>True once the handshake has succeeded. Any thread.</summary>
    public volatile bool IsSecured;

    /// <summary>The proven name of the node; empty where none is proven. Valid once a frame has arrived.</summary>
    public string Identity { get; private set; } = "";

    /// <summary>Its node in the list of <see cref="Strangers"/>, which own this field; null when it is not one of
    /// them.</summary>
    public LinkedListNode<HostedConnection>? Place;

    /// <summary>Carries the frames.</summary>
    public FrameConnection Link { get; }

    /// <summary>True once its first registration has arrived.</summary>
    public bool IsIdentified;

    /// <summary>True once it has asked which cluster is served here, which it may once.</summary>
    public bool HasAsked;

    /// <summary>When its first registration is late.</summary>
    public Instant HelloDue;

    /// <summary>Ends the connection when the first registration is late.</summary>
    public Alarm? Hello;

    /// <summary>True when the loop has closed it: further frames are dropped.</summary>
    public bool IsClosed;

    /// <summary>Carries frames until the connection ends. Call once.</summary>
    public async Task<FrameEnd> RunAsync()
    {
        if (!_requests.Enqueue(this, null, Opened)) Link.Abort(FrameEnd.Stopped);
        FrameEnd end = await Link.RunAsync(Security is null ? null : SecureAsync).ConfigureAwait(false);
        _requests.Enqueue(this, null, Ended + (int)end);
        return end;
    }

    private async Task<Stream> SecureAsync(Socket socket, CancellationToken stop)
    {
        try
        {
            SecuredStream secured = await Security!.OpenAsServerAsync(socket, Handshakes, stop).ConfigureAwait(false);
            Identity = secured.Identity;
            IsSecured = true;
            return secured.Stream;
        }
        catch (HandshakeException refusal) when (refusal.Fault == HandshakeFault.NotSecured)
        {
            // A node without security understands this frame, and says at its end what does not fit.
            byte[] frame = MembershipFrames.Refusal(MembershipRefusal.OtherSecurity);
            try
            {
                await socket.SendAsync(FrameBatch.Wrap(frame), stop).ConfigureAwait(false);
                await DiscardAsync(socket, stop).ConfigureAwait(false);
            }
            catch (Exception ended) when (ended is SocketException or OperationCanceledException)
            {
                // It does not wait for the answer, or for the end.
            }
            throw;
        }
    }

    // To close a connection with unread bytes resets it, and what was just sent may be lost.
    private static async Task DiscardAsync(Socket socket, CancellationToken stop)
    {
        socket.Shutdown(SocketShutdown.Send);
        byte[] rest = new byte[MembershipFrames.MaxHelloBytes];
        int left = rest.Length;
        while (left > 0 && await socket.ReceiveAsync(rest, stop).ConfigureAwait(false) is > 0 and int read)
            left -= read;
    }

    /// <inheritdoc/>
    public void OnFrames(FrameConnection connection, FrameBatch frames)
    {
        if (!_requests.Enqueue(this, frames, Frames)) Finish(frames);
    }

    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now)
    {
        switch (argument)
        {
            case Opened:
                _server.OnOpened(this, now);
                break;
            case Frames:
                var frames = (FrameBatch)payload!;
                _server.OnFrames(this, frames, now);
                Finish(frames);
                break;
            default:
                _server.OnEnded(this, (FrameEnd)(argument - Ended), now);
                break;
        }
    }

    private void Finish(FrameBatch frames)
    {
        frames.Return();
        Link.OnHandled();
    }
}
