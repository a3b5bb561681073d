using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Transport;

/// <summary>
/// The sockets that send to regions. The first regions have a connected socket each, which needs no look-up of the
/// address. All others share one, so descriptors do not grow with the regions sent to. Core thread only, from the first
/// turn on.
/// </summary>
/// <param name="mostConnected">The most regions with a socket of their own.</param>
/// <param name="segments">False to send one datagram a call.</param>
/// <param name="addresses">Converts the addresses of groups.</param>
/// <param name="counters">The counters of the transport.</param>
/// <param name="events">Receives failures.</param>
internal sealed class RegionSenders(
    int mostConnected, bool segments, AddressCache addresses, TransportCounters counters, ITransportEvents events)
{
    /// <summary>The most regions with a connected socket each, unless few descriptors are allowed.</summary>
    internal const int MaxConnected = 16;

    private const int PauseMilliseconds = 1000;

    private UdpSockets? _sockets;
    private IPAddress? _source;
    private TrainSender? _shared;

    /// <summary>Sockets that belong to one region each.</summary>
    public int Connected { get; private set; }

    /// <summary>Opens sockets with this source from now on.</summary>
    public void Use(UdpSockets sockets, IPAddress source)
    {
        _sockets = sockets;
        _source = source;
    }

    /// <summary>Finds a channel's sender. After a failure, it tries again when a second has passed.</summary>
    /// <returns>False when there is none: the failure is reported, once.</returns>
    public bool TryOpen(SocketChannel channel)
    {
        long now = Environment.TickCount64;
        if (channel.CannotSend && now < channel.TrySendAt) return false;
        try
        {
            if (Connected < mostConnected)
            {
                Socket socket = _sockets!.OpenSender(channel.Group, _source!);
                channel.Sender = new TrainSender(socket, channel.Group.ToString(), segments, counters, events);
                Connected++;
            }
            else
            {
                _shared ??= new TrainSender(
                    _sockets!.OpenSender(null, _source!), "regions", segments, counters, events);
                channel.Sender = _shared;
                channel.To = addresses.Of(channel.Group);
            }
            channel.CannotSend = false;
            return true;
        }
        catch (SocketException refusal)
        {
            // A lack of descriptors, or a link that is down: both may end before the view does.
            channel.TrySendAt = now + PauseMilliseconds;
            if (!channel.CannotSend) events.OnOpenFailed(channel.Group, refusal.Message);
            channel.CannotSend = true;
            return false;
        }
    }

    /// <summary>Binds all senders to the interface again, which may have been removed and added again.</summary>
    public void AttachAgain(IEnumerable<SocketChannel> channels)
    {
        foreach (SocketChannel channel in channels)
        {
            if (channel is { Sender: { } sender, To: null }) _sockets!.AttachAgain(sender.Socket);
        }
        if (_shared is { } shared) _sockets!.AttachAgain(shared.Socket);
    }

    /// <summary>Takes a channel's sender from it; one of its own is closed.</summary>
    public void Drop(SocketChannel channel)
    {
        if (channel is { Sender: { } sender, To: null })
        {
            sender.Dispose();
            Connected--;
        }
        channel.Sender = null;
        channel.To = null;
    }

    /// <summary>Closes the shared sender. It is bound to the address that the node had when it was opened.</summary>
    /// <param name="channels">All channels.</param>
    public void DropShared(IEnumerable<SocketChannel> channels)
    {
        foreach (SocketChannel channel in channels)
        {
            if (channel.To is not null) Drop(channel);
        }
        _shared?.Dispose();
        _shared = null;
    }
}
