using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Security;
using QuickSilver.Transport;
using QuickSilver.Transport.Sharing;

namespace QuickSilver.Testing.Network;

/// <summary>
/// One node's interface to the simulated network: its sockets, the queue before its wire, the switch port behind it,
/// and its finished reads. What is handed to the node is a copy, overwritten when the node gives it back, so that a
/// part which keeps a buffer against the contract is found out.
/// </summary>
internal sealed class SimulatedTransport : ITransport, ICompletionQueue
{
    private const int WireOverheadBytes = 66;
    private const ushort MulticastPort = 7003;
    private const int BitsPerByte = 8;

    private readonly SimulatedNetwork _network;
    private readonly IClock _clock;
    private readonly WorkMeter? _meter;
    private readonly Action<Instant> _wake;
    private readonly SimulatedSocket _control;
    private readonly SimulatedSocket _unicast;
    private readonly List<SimulatedChannel> _channels = [];
    private readonly int _node;
    private readonly SharedMemory? _shared;
    private Instant _wireFree;
    private Instant _portFree;
    private int _firstChannel;
    private bool _isClosed;

    /// <summary>Opens the two unicast sockets.</summary>
    /// <param name="network">The network.</param>
    /// <param name="machine">Index of the machine: its links, and its address.</param>
    /// <param name="clock">The node's present instant in the simulation's time.</param>
    /// <param name="wake">Called when a datagram can be read, with the instant from which on.</param>
    /// <param name="node">Index of the node, for the observer; null: that of the machine.</param>
    /// <param name="meter">Told of the work of sending and reading; null: nobody.</param>
    public SimulatedTransport(
        SimulatedNetwork network,
        int machine,
        IClock clock,
        Action<Instant> wake,
        int? node = null,
        WorkMeter? meter = null)
    {
        _meter = meter;
        _network = network;
        _clock = clock;
        _wake = wake;
        Machine = machine;
        _node = node ?? machine;
        NetworkModel model = network.Model;
        NetAddress address = Forgery.AddressOf(machine, model.IPv6);
        Facts = new TransportFacts(
            new NetEndpoint(address, 7001), new NetEndpoint(address, 7002),
            machine < model.Interfaces.Count ? Math.Min(model.SlotBytes, model.Interfaces[machine]) : model.SlotBytes,
            model.TrainDatagrams, model.ReceiveBufferBytes, model.Multicast, model.ChecksumPayloads)
        {
            LongestDatagram = machine < model.Interfaces.Count ? model.Interfaces[machine] : 0,
        };
        _control = new SimulatedSocket(this, SocketRole.Control, model.ControlBufferBytes, null);
        _unicast = new SimulatedSocket(this, SocketRole.Unicast, model.ReceiveBufferBytes, null);
        if (model is { SharedBlocks: > 0, Multicast: true })
            _shared = network.Segments.Start(
                (ulong)_node + 1, (uint)_node, model.SharedBlocks, new TransportCounters());
        network.Bind(Facts.Control, _control);
        network.Bind(Facts.Data, _unicast);
    }

    /// <summary>True when any node was sent what its sender has not sent so: a stranger's datagram, or one put together
    /// of two by damage.</summary>
    public bool WasForged => _network.Counters.Forged + _network.Counters.Damaged > 0;

    /// <inheritdoc/>
    public TransportFacts Facts { get; }

    /// <inheritdoc/>
    public ISharedMemory? SharedMemory => _shared;

    /// <summary>Blocks of shared memory that are not home: of its own that it uses, of others that it holds.</summary>
    public int BlocksOut => _shared is null ? 0 : _shared.Own.Outstanding + _shared.Others.Held;

    /// <summary>Reads what the node seals; null when it does not.</summary>
    public Wiretap? Tap { get; set; }

    /// <summary>Index of the machine.</summary>
    public int Machine { get; }

    /// <summary>Memory of datagrams.</summary>
    public DatagramPool Pool => _network.Pool;

    /// <summary>Set when a send was refused: from then on a send may be tried again. <see cref="Instant.Never"/> when
    /// none was refused since
    /// <see cref="ResetBusy"/>.</summary>
    public Instant BusyUntil { get; private set; } = Instant.Never;

    /// <summary>Bytes sent and read since the counter was taken last: what a turn of the loop is charged for.</summary>
    public long BytesMoved { get; private set; }

    /// <summary>Channels that are open.</summary>
    public int OpenChannels => _channels.Count;

    /// <inheritdoc/>
    public IRegionChannel? Open(NetEndpoint group, bool receive)
    {
        if (_isClosed || !_network.Model.Multicast) return null;
        SimulatedChannel? channel = _channels.Find(candidate => candidate.Group == group);
        if (channel is null) _channels.Add(channel = new SimulatedChannel(group));
        channel.Openers++;
        if (receive && channel.Receivers++ == 0)
        {
            SimulatedSocket socket = channel.StartReceiving(this, _network.Model.ReceiveBufferBytes);
            _network.Join(group, socket, _clock.Now);
        }
        return channel;
    }

    /// <inheritdoc/>
    public void Close(IRegionChannel channel, bool receive)
    {
        if (_isClosed) return;
        var closed = (SimulatedChannel)channel;
        Debug.Assert(closed.Openers > 0 && (!receive || closed.Receivers > 0), "closed more often than opened");
        if (receive && --closed.Receivers == 0) StopReceiving(closed);
        if (--closed.Openers == 0) _channels.Remove(closed);
    }

    /// <inheritdoc/>
    public SendOutcome Send(in Train train)
    {
        CheckTrain(train);
        if (_isClosed) return SendOutcome.Failed;
        Instant now = _clock.Now;
        if (TimeOnWire(_network.Model.SendBufferBytes) is var full && _wireFree > now + full)
        {
            BusyUntil = _wireFree - (full / 2);
            for (int offset = 0; Tap is not null && offset < train.Length; offset += train.SegmentBytes)
                Tap.OnWaits(DatagramAt(train, offset));
            return SendOutcome.Busy;
        }
        if (_meter is not null)
        {
            _meter.OnSent(train.Count, train.Length);
            now = _clock.Now;
        }
        for (int offset = 0; offset < train.Length; offset += train.SegmentBytes)
        {
            ReadOnlySpan<byte> datagram = DatagramAt(train, offset);
            Instant start = _wireFree > now ? _wireFree : now;
            _wireFree = start + TimeOnWire(datagram.Length + WireOverheadBytes);
            SipHash gate = default;
            byte[]? plain = Tap?.Open(datagram, out gate);
            if (Tap is not null && plain is null) throw new InvalidOperationException("a node sent what is not sealed");
            ReadOnlySpan<byte> seen = plain ?? datagram;
            _network.Observer.OnSent(_node, seen, train.To, now);
            if (_shared is not null) TellLent(seen, now);
            _network.Sealed = (plain, gate);
            NetEndpoint source = SourceOf(train.Route);
            if (train.Route == TrainRoute.Region)
                _network.SendToGroup(Machine, source, ((SimulatedChannel)train.Channel!).Group, datagram, _wireFree);
            else _network.SendTo(Machine, source, train.To, datagram, _wireFree);
            BytesMoved += datagram.Length;
        }
        return SendOutcome.Sent;
    }

    /// <inheritdoc/>
    public int Take(List<Completion> batch, int room)
    {
        Instant now = _clock.Now;
        int before = batch.Count;
        ReadFrom(_control, batch, room, now);
        bool controlRead = batch.Count > before;
        TakeFrom(_unicast, controlRead, batch, room - (batch.Count - before), now);
        // Begins with another channel each time, so that one busy region does not starve the others' reads.
        int channels = _channels.Count;
        if (channels > 0) _firstChannel = (_firstChannel + 1) % channels;
        for (int step = 0; step < channels; step++)
        {
            SimulatedSocket? socket = _channels[(_firstChannel + step) % channels].Socket;
            if (socket is not null) TakeFrom(socket, controlRead, batch, room - (batch.Count - before), now);
        }
        return batch.Count - before;
    }

    /// <inheritdoc/>
    public void Recycle(in Completion completion)
    {
        if (completion.IsDrained) return;
        _meter?.OnHandled(_meter.CountsReads ? completion.Datagrams : 1, completion.Length);
        Pool.ReturnRead(completion.Buffer, completion.Length);
    }

    /// <summary>When the first datagram that waits in a socket can be read; <see cref="Instant.Never"/> when none
    /// waits.</summary>
    public Instant NextReadable()
    {
        Instant first = _control.NextReadable < _unicast.NextReadable ? _control.NextReadable : _unicast.NextReadable;
        foreach (SimulatedChannel channel in _channels)
        {
            if (channel.Socket is { } socket && socket.NextReadable < first) first = socket.NextReadable;
        }
        return first;
    }

    /// <summary>Takes the bytes moved since the last call.</summary>
    public long TakeBytesMoved()
    {
        long bytes = BytesMoved;
        BytesMoved = 0;
        return bytes;
    }

    /// <summary>Forgets that a send was refused.</summary>
    public void ResetBusy() => BusyUntil = Instant.Never;

    /// <summary>A datagram passes the switch port before this node, or is dropped there.</summary>
    /// <param name="bytes">Its length.</param>
    /// <param name="now">When it arrives at the port.</param>
    /// <param name="ready">When the node has it.</param>
    /// <returns>False when the port's buffer is full.</returns>
    public bool TryPassPort(int bytes, Instant now, out Instant ready)
    {
        Instant start = _portFree > now ? _portFree : now;
        ready = start + TimeOnWire(bytes + WireOverheadBytes);
        if (_network.Model.Bandwidth > 0 && start - now > TimeOnWire(_network.Model.PortBufferBytes))
        {
            _network.Counters.PortDrops++;
            return false;
        }
        _portFree = ready;
        return true;
    }

    /// <summary>A datagram arrives for a socket of this machine that is closed: the one bound in its place, if there is
    /// one, gets it.</summary>
    public void PassOn(SimulatedSocket closed, Datagram datagram)
    {
        NetEndpoint? group = closed.Channel?.Group;
        SimulatedSocket? socket = group is { } address
            ? _network.FindMember(address, Machine)
            : _network.FindBound(closed.Role == SocketRole.Control ? Facts.Control : Facts.Data);
        if (socket is { IsOpen: true }) socket.OnEvent(datagram, 0, _clock.Now);
        else Pool.Release(datagram);
    }

    /// <summary>A datagram was dropped before it could be read.</summary>
    public void CountTrouble(Datagram datagram) => _network.CountTrouble(datagram);

    /// <summary>A socket of this node had no room for a datagram.</summary>
    public void CountBufferDrop() => _network.Counters.BufferDrops++;

    /// <summary>Tells the node that it can read.</summary>
    public void Wake(Instant ready) => _wake(ready);

    /// <summary>Closes every socket, as the end of the process does.</summary>
    /// <param name="inGoodOrder">True: what is shared is given back first; false: the process is killed.</param>
    public void CloseAll(bool inGoodOrder)
    {
        if (_isClosed) return;
        _isClosed = true;
        if (inGoodOrder) _shared?.Dispose();
        _network.EndProcess(_node);
        foreach (SimulatedChannel channel in _channels) StopReceiving(channel);
        _channels.Clear();
        _network.Unbind(Facts.Control);
        _network.Unbind(Facts.Data);
        _control.Close();
        _unicast.Close();
    }

    private void TellLent(ReadOnlySpan<byte> datagram, Instant now)
    {
        if (DatagramHeader.TryRead(datagram, out DatagramHeader header) != RejectReason.None
            || header.Kind != DatagramKind.Note) return;
        if (!NoteList.TryRead(datagram[DatagramHeader.Length..], out NoteList notes) || notes.IsOffer) return;
        for (int index = 0; index < notes.Count; index++)
            _network.Observer.OnLent(_node, _shared!.Own.Peek(notes[index].Place), now);
    }

    // What is multicast leaves by a socket of its own, as over real sockets.
    private NetEndpoint SourceOf(TrainRoute route) => route switch
    {
        TrainRoute.Control => Facts.Control,
        TrainRoute.Region => Facts.Data with { Port = MulticastPort },
        _ => Facts.Data,
    };

    private void StopReceiving(SimulatedChannel channel)
    {
        if (channel.Socket is not { } socket) return;
        _network.Leave(channel.Group, socket);
        channel.StopReceiving();
    }

    private TimeSpan TimeOnWire(int bytes) =>
        _network.Model.Bandwidth == 0
            ? TimeSpan.Zero
            : new TimeSpan((long)bytes * BitsPerByte * TimeSpan.TicksPerSecond / _network.Model.Bandwidth);

    // A data socket tells that it is empty when something was read from it in this batch, and after any control
    // datagram: a token may name what this node would have read by now.
    private void TakeFrom(SimulatedSocket socket, bool controlRead, List<Completion> batch, int room, Instant now)
    {
        int before = batch.Count;
        ReadFrom(socket, batch, room, now);
        if (batch.Count - before < room && (controlRead || batch.Count > before) && !socket.IsReadable(now))
        {
            batch.Add(new Completion(socket.Role, PriorityClass.Data, socket.Channel, [], 0, 0));
        }
    }

    private void ReadFrom(SimulatedSocket socket, List<Completion> batch, int room, Instant now)
    {
        while (room-- > 0 && socket.TryPeek(now, out Datagram first))
        {
            bool coalesce = _network.Model.CoalesceReads && socket.Role != SocketRole.Control;
            byte[] buffer = Pool.RentRead(coalesce ? ushort.MaxValue : first.Length);
            int length = 0, datagrams = 0, segment = first.Length;
            NetEndpoint from = first.From;
            Datagram next = first;
            do
            {
                next.Span.CopyTo(buffer.AsSpan(length));
                length += next.Length;
                datagrams++;
                bool isSeen = !next.IsForged && (Tap is null || next.Plain is not null);
                if (isSeen) _network.Observer.OnRead(_node, next.Plain ?? next.Span, next.IsDamaged, now);
                int read = next.Length;
                Pool.Release(socket.Dequeue());
                if (!coalesce || read < segment || datagrams == Train.MaxDatagrams) break;
            }
            while (socket.TryPeek(now, out next) && next.From == from && next.Length <= segment
                && length + next.Length <= Train.MaxBytes);
            BytesMoved += length;
            PriorityClass priority = DatagramKinds.PriorityOfRead(buffer.AsSpan(0, length));
            batch.Add(
                new Completion(
                    socket.Role, priority, socket.Channel, buffer, 0, length)
                { Datagrams = datagrams, Source = from });
        }
    }

    private static ReadOnlySpan<byte> DatagramAt(in Train train, int offset) =>
        train.Span.Slice(offset, Math.Min(train.SegmentBytes, train.Length - offset));

    private static void CheckTrain(in Train train)
    {
        if (train.Length <= 0 || train.SegmentBytes <= 0 || train.Count > Train.MaxDatagrams
            || train.Length > Train.MaxBytes)
        {
            throw new InvalidOperationException(
                $"a train of {train.Length} bytes in segments of {train.SegmentBytes} breaks the transport's contract");
        }
        if ((train.Route == TrainRoute.Region) != (train.Channel is not null))
        {
            throw new InvalidOperationException("only trains of the region route have a channel");
        }
    }
}
