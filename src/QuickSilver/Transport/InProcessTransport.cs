using System.Net;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// A node's place in an <see cref="InProcessNetwork"/>: the same contract as over sockets, for tests and for clusters inside one process.
/// </summary>
internal sealed class InProcessTransport : IHostTransport
{
    private readonly InProcessNetwork _network;
    private readonly int _bufferBytes;
    private readonly InProcessBuffers _buffers = new();
    private readonly InProcessInbox _control;
    private readonly InProcessInbox _data;
    private readonly List<InProcessChannel> _channels = [];
    private readonly SleepEvent _sleep = new();
    private bool _owesDrained;
    private ulong _closedDrops;

    /// <summary>Attaches to the network.</summary>
    public InProcessTransport(TransportSettings settings)
    {
        _network = settings.Network ?? InProcessNetwork.Default;
        _bufferBytes = settings.ReceiveBufferBytes;
        _control = new InProcessInbox(_buffers, _bufferBytes, _sleep.SetIfWaiting);
        _data = new InProcessInbox(_buffers, _bufferBytes, _sleep.SetIfWaiting);
        int slot = SlotSize.Choose(settings, SlotSize.LoopbackMtu, isLoopback: true, _bufferBytes);
        Facts = new TransportFacts(
            _network.Attach(_control),
            _network.Attach(_data),
            slot,
            SlotSize.TrainDatagrams(slot),
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
    public bool HasReady => !_control.IsEmpty || !_data.IsEmpty || _channels.Exists(static channel => channel.Inbox is { IsEmpty: false });

    /// <inheritdoc/>
    public IRegionChannel? Open(NetEndpoint group, bool receive)
    {
        InProcessChannel? channel = _channels.Find(open => open.Group == group);
        if (channel is null) _channels.Add(channel = new InProcessChannel(group));
        channel.Opens++;
        if (receive && channel.Receivers++ == 0)
        {
            channel.Inbox = new InProcessInbox(_buffers, _bufferBytes, _sleep.SetIfWaiting);
            _network.Join(group, channel.Inbox);
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
        if (train.Route == TrainRoute.Region) _network.SendToGroup(((InProcessChannel)train.Channel!).Group, train.Span);
        else _network.SendTo(train.To, train.Span);
        Counters.TrainsSent++;
        Counters.DatagramsSent += (ulong)train.Count;
        Counters.BytesSent += (ulong)train.Length;
        return SendOutcome.Sent;
    }

    /// <inheritdoc/>
    public int Take(List<Completion> batch, int room)
    {
        int before = batch.Count;
        if (TakeFrom(_control, SocketRole.Control, null, batch, room) > 0)
        {
            _owesDrained = true;
            foreach (InProcessChannel channel in _channels) channel.OwesDrained = true;
        }
        TakeData(_data, SocketRole.Unicast, null, batch, room - (batch.Count - before), ref _owesDrained);
        foreach (InProcessChannel channel in _channels)
        {
            if (channel.Inbox is not { } inbox) continue;
            TakeData(inbox, SocketRole.Multicast, channel, batch, room - (batch.Count - before), ref channel.OwesDrained);
        }
        return batch.Count - before;
    }

    /// <inheritdoc/>
    public void Recycle(in Completion completion)
    {
        if (!completion.IsDrained) _buffers.Return(completion.Buffer);
    }

    /// <inheritdoc/>
    public bool Wait(TimeSpan atMost)
    {
        _sleep.Declare();
        return HasReady ? _sleep.Cancel() : _sleep.Wait(atMost);
    }

    /// <inheritdoc/>
    public void Wake() => _sleep.Set();

    /// <inheritdoc/>
    public ulong ReadSocketDrops()
    {
        ulong drops = _closedDrops + _control.Drops + _data.Drops;
        foreach (InProcessChannel channel in _channels) drops += channel.Inbox?.Drops ?? 0;
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

    private void TakeData(InProcessInbox inbox, SocketRole role, InProcessChannel? channel, List<Completion> batch, int room, ref bool owesDrained)
    {
        if (TakeFrom(inbox, role, channel, batch, room - 1) > 0) owesDrained = true;
        if (!owesDrained || room < 1 || !inbox.IsEmpty) return;
        batch.Add(new Completion(role, PriorityClass.Data, channel, [], 0, 0));
        owesDrained = false;
    }

    private int TakeFrom(InProcessInbox inbox, SocketRole role, InProcessChannel? channel, List<Completion> batch, int room)
    {
        int taken = 0;
        while (taken < room && inbox.TryTake(out byte[] buffer, out int length))
        {
            batch.Add(new Completion(role, DatagramKinds.PriorityOfRead(buffer.AsSpan(0, length)), channel, buffer, 0, length));
            Counters.Reads++;
            Counters.ReadBytes += (ulong)length;
            taken++;
        }
        return taken;
    }

    private void StopReceiving(InProcessChannel channel)
    {
        if (channel.Inbox is not { } inbox) return;
        _network.Leave(channel.Group, inbox);
        channel.EarlierDrops += inbox.Drops;
        _closedDrops += inbox.Drops;
        channel.Inbox = null;
    }
}
