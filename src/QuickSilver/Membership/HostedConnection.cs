using System.Net;
using System.Net.Sockets;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Membership;

/// <summary>
/// One node's connection to a <see cref="MembershipHost"/>: brings what it receives to the host's loop, and is the loop's record of it. Fields belong
/// to the loop.
/// </summary>
internal sealed class HostedConnection : IFrameReceiver, IRequestTarget
{
    private const long Opened = 0;
    private const long Frames = 1;
    private const long Ended = 2;

    private readonly HostedServers _servers;
    private readonly RequestQueue _requests;

    /// <summary>Takes an accepted socket over.</summary>
    public HostedConnection(long id, Socket socket, FrameLimits limits, HostedServers servers, RequestQueue requests)
    {
        Id = id;
        // Null when the other side has gone already, which the connection finds out.
        IPAddress remote = (socket.RemoteEndPoint as IPEndPoint)?.Address ?? IPAddress.None;
        Address = remote.IsIPv4MappedToIPv6 ? remote.MapToIPv4() : remote;
        _servers = servers;
        _requests = requests;
        Link = new FrameConnection(socket, this, limits);
    }

    /// <summary>The servers' number for it.</summary>
    public long Id { get; }

    /// <summary>Where it comes from.</summary>
    public IPAddress Address { get; }

    /// <summary>Its place among the <see cref="Strangers"/>, whose field it is; null: it is none of them.</summary>
    public LinkedListNode<HostedConnection>? Place;

    /// <summary>The frames' way.</summary>
    public FrameConnection Link { get; }

    /// <summary>The server it has been given to; null before its first frame.</summary>
    public MembershipServer? Server;

    /// <summary>Fires when the first frame is late.</summary>
    public Alarm? Hello;

    /// <summary>True when the loop is through with it: what still comes is dropped.</summary>
    public bool IsClosed;

    /// <summary>Carries frames until the connection ends. Once.</summary>
    public async Task<FrameEnd> RunAsync()
    {
        if (!_requests.Enqueue(this, null, Opened)) Link.Abort(FrameEnd.Stopped);
        FrameEnd end = await Link.RunAsync().ConfigureAwait(false);
        _requests.Enqueue(this, null, Ended + (int)end);
        return end;
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
                _servers.OnOpened(this, now);
                break;
            case Frames:
                var frames = (FrameBatch)payload!;
                _servers.OnFrames(this, frames, now);
                Finish(frames);
                break;
            default:
                _servers.OnEnded(this, (FrameEnd)(argument - Ended), now);
                break;
        }
    }

    private void Finish(FrameBatch frames)
    {
        frames.Return();
        Link.OnHandled();
    }
}
