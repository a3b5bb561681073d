using System.Net;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// A transport over an <see cref="InProcessNetwork"/>, with the contract of a socket transport, for tests and for
/// clusters within one process.
/// </summary>
internal sealed class InProcessTransport : IHostTransport
{
    private readonly InProcessNetwork _network;
    private readonly int _bufferBytes;
    private readonly InProcessBuffers _buffers = new();
    private readonly InProcessInbox _control;
    private readonly InProcessInbox _data;
    private readonly List<InProcessChannel> _channels = [];
    private readonly ReceivePorts _ports;
    private readonly SleepEvent _sleep = new();
    private ulong _closedDrops;

    /// <summary>Attaches to the network that the settings name, or to the default one.</summary>
    public InProcessTransport(TransportSettings settings)
    {
        _network = settings.Network ?? InProcessNetwork.Default;
        _bufferBytes = settings.ReceiveBufferBytes;
        _control = NewInbox();
        _data = NewInbox();
        // An inbox knows whether it is empty: no check is needed before a read.
        _ports = new ReceivePorts(static () => { }, Read);
        _ports.Add(new InProcessPort(_control, SocketRole.Control, null));
        _ports.Add(new InProcessPort(_data, SocketRole.Unicast, null));
        int slot = DatagramSize.Choose(settings, DatagramSize.LoopbackMtu, isLoopback: true, _bufferBytes);
        Facts = new TransportFacts(
            _network.Attach(_control),
            _network.Attach(_data),
            slot,
            DatagramSize.TrainDatagrams(slot),
            _bufferBytes,
            Multicast: true,
            settings.ChecksumPayloads);
        Choice = new TransportChoice("in-process", "memory", IPAddress.Loopback, Multicast: true, "within one process");
    }

    /// <inheritdoc/>
    public TransportFacts Facts { get; }

    /// <inheritdoc/>
    public TransportChoice Choice { get; }

    /// <inheritdoc/>
    public TransportCounters Counters { get; } = new();

    /// <inheritdoc/>
    public ulong BytesRead => Counters.ReadBytes;

    /// <inheritdoc/>
    public bool HasReady => _ports.HasReady;

    /// <inheritdoc/>
    public IRegionChannel? Open(NetEndpoint group, bool receive)
    {
        InProcessChannel? channel = _channels.Find(open => open.Group == group);
        if (channel is null) _channels.Add(channel = new InProcessChannel(group));
        channel.Opens++;
        if (receive && channel.Receivers++ == 0)
        {
            channel.Port = new InProcessPort(NewInbox(), SocketRole.Multicast, channel);
            _ports.Add(channel.Port);
            _network.Join(group, channel.Port.Inbox);
        }
        return channel;
    }

    /// <inheritdoc/>
    public void Close(IRegionChannel channel, bool receive)
    {
        var open = (InProcessChannel)channel;
        if (receive && --open.Receivers == 0) StopReceiving(open);
        if (--open.Opens == 0) _channels.Remove(open);
    }

    /// <inheritdoc/>
    public SendOutcome Send(in Train train)
    {
        NetEndpoint source = train.Route == TrainRoute.Control ? Facts.Control : Facts.Data;
        if (train.Route == TrainRoute.Region)
            _network.SendToGroup(source, ((InProcessChannel)train.Channel!).Group, train.Span);
        else _network.SendTo(source, train.To, train.Span);
        Counters.TrainsSent++;
        Counters.DatagramsSent += (ulong)train.Count;
        Counters.BytesSent += (ulong)train.Length;
        return SendOutcome.Sent;
    }

    /// <inheritdoc/>
    public int Take(List<Completion> batch, int room) => _ports.Take(batch, room);

    /// <inheritdoc/>
    public void Recycle(in Completion completion)
    {
        if (!completion.IsDrained) _buffers.Return(completion.Buffer);
    }

    /// <inheritdoc/>
    public bool Wait(TimeSpan limit)
    {
        _sleep.Declare();
        return HasReady ? _sleep.Cancel() : _sleep.Wait(limit);
    }

    /// <inheritdoc/>
    public void Wake() => _sleep.Set();

    /// <inheritdoc/>
    public ulong ReadSocketDrops()
    {
        ulong drops = _closedDrops + _control.Drops + _data.Drops;
        foreach (InProcessChannel channel in _channels) drops += channel.Port?.Inbox.Drops ?? 0;
        return drops;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _network.Detach(Facts.Control);
        _network.Detach(Facts.Data);
        foreach (InProcessChannel channel in _channels) StopReceiving(channel);
        _channels.Clear();
    }

    private InProcessInbox NewInbox() => new(_buffers, _bufferBytes, _sleep.SetIfWaiting);

    private int Read(ReceivePort from, List<Completion> batch, int room)
    {
        var port = (InProcessPort)from;
        int taken = 0;
        while (taken < room && port.Inbox.TryTake(out byte[] buffer, out int length, out NetEndpoint source))
        {
            PriorityClass priority = DatagramKinds.PriorityOfRead(buffer.AsSpan(0, length));
            batch.Add(new Completion(port.Role, priority, port.Channel, buffer, 0, length) { Source = source });
            Counters.Reads++;
            Counters.ReadBytes += (ulong)length;
            taken++;
        }
        return taken;
    }

    private void StopReceiving(InProcessChannel channel)
    {
        if (channel.Port is not { } port) return;
        _network.Leave(channel.Group, port.Inbox);
        channel.EarlierDrops += port.Inbox.Drops;
        _closedDrops += port.Inbox.Drops;
        channel.Port = null;
        _ports.Remove(port);
    }
}
