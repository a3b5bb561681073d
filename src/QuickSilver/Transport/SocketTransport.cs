using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// The common part of both socket transports: two unicast sockets, channels by address, and sending. Control has a
/// separate socket, so that data never displaces tokens in a kernel buffer. The derived type receives. Core thread
/// only, from the first turn on.
/// </summary>
internal abstract class SocketTransport : IHostTransport
{
    private const int AttachPauseMilliseconds = 1000;

    private readonly TransportSettings _settings;
    private readonly ITransportEvents _events;
    private readonly AddressCache _addresses = new();
    private readonly RegionSenders _senders;
    private readonly Dictionary<NetEndpoint, SocketChannel> _channels = [];
    private readonly ReceivePorts _ports;
    private readonly KernelGrants _grants;
    private readonly bool _segments;
    private readonly Sharing.SharedMemory? _shared;
    private NetworkChoice _network;
    private UdpSockets _sockets;
    private TrainSender _controlSender;
    private TrainSender _dataSender;
    private IPAddress? _ownSource;
    private SocketPort? _controlPort;
    private SocketPort? _dataPort;
    private bool _hasFailed;
    private long _attachAt;
    private ulong _closedDrops;

    /// <summary>Opens the unicast sockets.</summary>
    protected SocketTransport(
        TransportSettings settings, NetworkChoice network, ITransportEvents events, TransportChoice choice)
    {
        _settings = settings;
        _events = events;
        _ports = new ReceivePorts(Poll, Read);
        _grants = new KernelGrants(settings, events);
        var sockets = new UdpSockets(settings, network);
        (Socket control, Socket data) = sockets.OpenPair();
        _segments = _grants.Segmentation(data);
        int mostConnected = settings.Limits?.ConnectedSenders ?? RegionSenders.MaxConnected;
        _senders = new RegionSenders(mostConnected, _segments, _addresses, Counters, events);
        Take(network, choice, sockets, control, data);
        _shared = ShareMemory(settings);
    }

    /// <inheritdoc/>
    public TransportFacts Facts { get; private set; }

    /// <inheritdoc/>
    public ISharedMemory? SharedMemory => _shared;

    /// <inheritdoc/>
    public TransportChoice Choice { get; private set; }

    /// <inheritdoc/>
    public TransportCounters Counters { get; } = new();

    /// <inheritdoc/>
    public ulong BytesRead => Counters.ReadBytes;

    /// <inheritdoc/>
    public bool HasReady => _ports.HasReady;

    /// <summary>Sockets that belong to one region each, for sending.</summary>
    internal int ConnectedSenders => _senders.Connected;

    /// <summary>The socket for tokens, acknowledgements, NAKs and pulls.</summary>
    protected Socket ControlSocket { get; private set; }

    /// <summary>The socket for repairs and for data sent by unicast.</summary>
    protected Socket DataSocket { get; private set; }

    /// <inheritdoc/>
    public IRegionChannel? Open(NetEndpoint group, bool receive)
    {
        bool isNew = !_channels.TryGetValue(group, out SocketChannel? channel);
        channel ??= new SocketChannel(group);
        if (receive && channel.Receivers == 0 && !TryReceive(channel)) return null;
        if (isNew) _channels.Add(group, channel);
        channel.Opens++;
        if (receive) channel.Receivers++;
        return channel;
    }

    /// <inheritdoc/>
    public void Close(IRegionChannel channel, bool receive)
    {
        var open = (SocketChannel)channel;
        if (receive && --open.Receivers == 0) StopReceiving(open);
        if (--open.Opens > 0) return;
        _senders.Drop(open);
        _channels.Remove(open.Group);
    }

    /// <inheritdoc/>
    public SendOutcome Send(in Train train)
    {
        SendOutcome outcome = train.Route switch
        {
            TrainRoute.Region => SendToRegion((SocketChannel)train.Channel!, train),
            TrainRoute.Control => _controlSender.Send(train, _addresses.Of(train.To)),
            _ => _dataSender.Send(train, _addresses.Of(train.To)),
        };
        if (outcome == SendOutcome.Failed) _hasFailed = true;
        else if (_hasFailed && outcome == SendOutcome.Sent) AttachAgain();
        return outcome;
    }

    /// <inheritdoc/>
    public bool TryMove(NetworkChoice network, bool multicast, string reason)
    {
        var sockets = new UdpSockets(_settings, network);
        (Socket Control, Socket Data) pair;
        try
        {
            pair = sockets.OpenPair();
        }
        catch (Exception refusal) when (refusal is TransportException or SocketException)
        {
            return false;
        }
        StopUnicast(_controlPort);
        StopUnicast(_dataPort);
        TransportChoice choice = Choice with
        {
            InterfaceName = network.Name,
            InterfaceAddress = network.Address,
            PrefixLength = network.PrefixLength,
            Multicast = multicast,
            Reason = reason,
        };
        _senders.DropShared(_channels.Values);
        Take(network, choice, sockets, pair.Control, pair.Data);
        StartUnicast();
        return true;
    }

    /// <inheritdoc/>
    public ulong ReadSocketDrops()
    {
        ulong drops = _closedDrops + KernelOptions.ReadDrops(ControlSocket) + KernelOptions.ReadDrops(DataSocket);
        foreach (SocketChannel channel in _channels.Values) drops += channel.Port?.ReadDrops() ?? 0;
        return drops;
    }

    /// <inheritdoc/>
    public int Take(List<Completion> batch, int room) => _ports.Take(batch, room);

    /// <inheritdoc/>
    public abstract void Recycle(in Completion completion);

    /// <inheritdoc/>
    public abstract bool Wait(TimeSpan atMost);

    /// <inheritdoc/>
    public abstract void Wake();

    /// <inheritdoc/>
    public virtual void Dispose()
    {
        foreach (SocketChannel channel in _channels.Values)
        {
            StopReceiving(channel);
            _senders.Drop(channel);
        }
        _senders.DropShared(_channels.Values);
        _channels.Clear();
        ControlSocket.Dispose();
        DataSocket.Dispose();
        _shared?.Dispose();
    }

    /// <summary>Starts receiving on the unicast sockets; the last call of the derived type's constructor. Closes
    /// everything after a failure.</summary>
    protected void StartUnicast()
    {
        try
        {
            _ports.Add(_controlPort = StartPort(ControlSocket, SocketRole.Control, null));
            _ports.Add(_dataPort = StartPort(DataSocket, SocketRole.Unicast, null));
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Asks the system which ports have datagrams, if the transport needs that.</summary>
    protected virtual void Poll()
    {
    }

    /// <summary>Takes reads from a ready port.</summary>
    /// <returns>The number taken.</returns>
    protected abstract int Read(ReceivePort from, List<Completion> batch, int room);

    /// <summary>Starts receiving on a socket, which the port owns from then on.</summary>
    protected abstract SocketPort StartPort(Socket socket, SocketRole role, IRegionChannel? channel);

    /// <summary>Stops receiving on a port, and disposes of it.</summary>
    protected abstract void StopPort(SocketPort port);

    /// <summary>Truncates the echo of a channel that both receives and sends, from an address that other nodes may
    /// share. Does nothing if the transport cannot.</summary>
    protected virtual void CutEcho(SocketPort port, TrainSender sender)
    {
    }

    /// <summary>Requests coalescing by the kernel on a socket; reports a refusal once.</summary>
    protected void Coalesce(Socket socket) => _grants.Coalesce(socket);

    [MemberNotNull(nameof(_network), nameof(_sockets), nameof(_controlSender), nameof(_dataSender))]
    [MemberNotNull(nameof(Facts), nameof(Choice), nameof(ControlSocket), nameof(DataSocket))]
    private void Take(NetworkChoice network, TransportChoice choice, UdpSockets sockets, Socket control, Socket data)
    {
        _network = network;
        _sockets = sockets;
        _addresses.Use(network.Index);
        Choice = choice;
        ControlSocket = control;
        DataSocket = data;
        _controlSender = new TrainSender(control, "control", _segments, Counters, _events);
        _dataSender = new TrainSender(data, "unicast", _segments, Counters, _events);
        int controlPort = ((IPEndPoint)control.LocalEndPoint!).Port;
        _ownSource = OwnSource.Find(network, controlPort);
        _senders.Use(sockets, _ownSource ?? network.Address);
        int granted = _grants.ReceiveBuffer(data);
        int slot = DatagramSize.Choose(_settings, network.Mtu, network.IsLoopback, granted, network.HeaderBytes);
        Facts = new TransportFacts(
            network.At(controlPort),
            network.At(((IPEndPoint)data.LocalEndPoint!).Port),
            slot,
            _segments ? DatagramSize.TrainDatagrams(slot) : 1,
            granted,
            choice.Multicast,
            _settings.ChecksumPayloads)
        {
            LongestDatagram = DatagramSize.Longest(network.Mtu, network.HeaderBytes),
        };
    }

    private void StopUnicast(SocketPort? port)
    {
        if (port is null) return;
        _closedDrops += port.ReadDrops();
        StopPort(port);
    }

    private bool TryReceive(SocketChannel channel)
    {
        Socket? socket = null;
        try
        {
            socket = _sockets.OpenReceiver(channel.Group);
            RefuseEcho(socket, channel);
            channel.Port = StartPort(socket, SocketRole.Multicast, channel);
            _ports.Add(channel.Port);
            CutEcho(channel);
            return true;
        }
        catch (Win32Exception refusal)
        {
            // Sockets throw exceptions derived from this type, and the poller throws it.
            socket?.Dispose();
            _events.OnOpenFailed(channel.Group, refusal.Message);
            return false;
        }
    }

    private void RefuseEcho(Socket socket, SocketChannel channel) =>
        channel.HearsOwnSource = _ownSource is null || !OwnSource.TryBlock(socket, channel.Group, _network, _ownSource);

    private void CutEcho(SocketChannel channel)
    {
        if (channel is { HearsOwnSource: true, Port: { } port, Sender: { } sender }) CutEcho(port, sender);
    }

    private void StopReceiving(SocketChannel channel)
    {
        if (channel.Port is not { } port) return;
        ulong drops = port.ReadDrops();
        channel.EarlierDrops += drops;
        _closedDrops += drops;
        channel.Port = null;
        _ports.Remove(port);
        StopPort(port);
    }

    // The cause of the failure may be an interface that was removed and added again. It has lost the joined groups, and
    // no longer sends to them. After another cause nothing changes.
    private void AttachAgain()
    {
        long now = Environment.TickCount64;
        if (now < _attachAt) return;
        _attachAt = now + AttachPauseMilliseconds;
        _hasFailed = false;
        foreach (SocketChannel channel in _channels.Values)
        {
            if (channel.Port is { } port && _sockets.JoinAgain(port.Socket, channel.Group))
                RefuseEcho(port.Socket, channel);
        }
        _senders.AttachAgain(_channels.Values);
    }

    private SendOutcome SendToRegion(SocketChannel channel, in Train train)
    {
        if (channel.Sender is null && _senders.TryOpen(channel)) CutEcho(channel);
        return channel.Sender?.Send(train, channel.To) ?? SendOutcome.Failed;
    }

    // With unicast a note costs as many sends as the packet itself, and short packets gain nothing.
    private Sharing.SharedMemory? ShareMemory(TransportSettings settings)
    {
        if (!settings.SharedMemory || !OperatingSystem.IsLinux() || !_network.IsLoopback) return null;
        Sharing.SharedMemory? shared = null;
        string reason;
        if (!Choice.Multicast) reason = "regions use unicast";
        else if (Facts.SlotBytes < Sharing.SharedMemory.ShortestSlot) reason = "datagrams are shorter than 4 KiB";
        else shared = Sharing.SharedMemory.TryCreate(Counters, out reason);
        if (shared is null) _events.OnSharedMemoryRefused(reason);
        return shared;
    }
}
