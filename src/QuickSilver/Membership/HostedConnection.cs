using System.Net;
using System.Net.Sockets;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

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

    private readonly HostedServers _servers;
    private readonly RequestQueue _requests;

    /// <summary>Takes ownership of an accepted socket.</summary>
    public HostedConnection(long id, Socket socket, FrameLimits limits, HostedServers servers, RequestQueue requests)
    {
        Id = id;
        // Null when the other side has closed it already, which the connection detects later.
        IPAddress remote = (socket.RemoteEndPoint as IPEndPoint)?.Address ?? IPAddress.None;
        Address = remote.IsIPv4MappedToIPv6 ? remote.MapToIPv4() : remote;
        _servers = servers;
        _requests = requests;
        Link = new FrameConnection(socket, this, limits);
    }

    /// <summary>The number by which the servers know the connection.</summary>
    public long Id { get; }

    /// <summary>The source address.</summary>
    public IPAddress Address { get; }

    /// <summary>Its node in the list of <see cref="Strangers"/>, which own this field; null when it is not one of
    /// them.</summary>
    public LinkedListNode<HostedConnection>? Place;

    /// <summary>Carries the frames.</summary>
    public FrameConnection Link { get; }

    /// <summary>The server that handles its frames; null before the first frame.</summary>
    public MembershipServer? Server;

    /// <summary>Ends the connection when the first frame is late.</summary>
    public Alarm? Hello;

    /// <summary>True when the loop has closed it: further frames are dropped.</summary>
    public bool IsClosed;

    /// <summary>Carries frames until the connection ends. Call once.</summary>
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
