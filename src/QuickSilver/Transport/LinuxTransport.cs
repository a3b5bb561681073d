using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// The fast path on Linux: plain non-blocking calls on the core thread, whole trains in one call both ways (UDP_SEGMENT and UDP_GRO), waiting in
/// epoll. No call on these sockets is ever asynchronous: that would hand them to the framework's own engine for good.
/// <para>
/// Taking reads: ask epoll once which sockets have something; empty the control socket; if it had anything, ask epoll again, so that what the data
/// sockets held before is seen to be there; then read the unicast socket and the channels, each until it says that it is empty or half a megabyte has
/// come: the rest is taken in the next turn, after what was read is handled and control has had its chance. A data socket that is found empty after
/// reads, or after control datagrams came in (a token may name packets that were lost on the way here), is reported empty: that is what raises intake
/// past a loss.
/// </para>
/// Cost: one epoll call a turn (0.2-0.4 us), one receive a train (some 2 us for 64 KiB), 0.7 us to find a socket empty. Allocates nothing in steady
/// state. Source: measurements on this path; io_uring, recvmmsg and sendmmsg were measured and bring nothing once trains are cut by the kernel.
/// </summary>
internal sealed class LinuxTransport : SocketTransport
{
    private const int MostFailures = 16;

    // Of one socket at a time: what was read is handled before the processor's caches have lost it.
    private const int MostBytesATake = 512 << 10;

    private readonly LinuxPoller _poller = new();
    private readonly ReadBufferPool _buffers = new();
    private readonly LinuxPort _control;
    private readonly LinuxPort _data;
    private readonly List<LinuxPort> _channels = [];
    private int _firstChannel;
    private bool _hasPolled;

    /// <summary>Opens the unicast sockets and watches them.</summary>
    public LinuxTransport(TransportSettings settings, NetworkChoice network, ITransportEvents events, TransportChoice choice)
        : base(settings, network, events, choice)
    {
        try
        {
            _control = (LinuxPort)StartPort(ControlSocket, SocketRole.Control, null);
            _data = (LinuxPort)StartPort(DataSocket, SocketRole.Unicast, null);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public override bool HasReady => _control.IsReady || _data.IsReady || _channels.Exists(static port => port.IsReady);

    /// <inheritdoc/>
    public override int Take(List<Completion> batch, int room)
    {
        int before = batch.Count;
        if (!_hasPolled) _poller.Wait(TimeSpan.Zero);
        _hasPolled = false;

        if (_control.IsReady && Read(_control, batch, room) > 0)
        {
            _data.OwesDrained = true;
            foreach (LinuxPort port in _channels) port.OwesDrained = true;
            _poller.Wait(TimeSpan.Zero);
        }
        ReadData(_data, batch, room - (batch.Count - before));
        int count = _channels.Count;
        if (++_firstChannel >= count) _firstChannel = 0;
        for (int index = 0; index < count; index++)
        {
            LinuxPort port = _channels[(_firstChannel + index) % count];
            ReadData(port, batch, room - (batch.Count - before));
        }
        return batch.Count - before;
    }

    /// <inheritdoc/>
    public override void Recycle(in Completion completion)
    {
        if (!completion.IsDrained) _buffers.Return(completion.Buffer);
    }

    /// <inheritdoc/>
    public override bool Wait(TimeSpan atMost)
    {
        bool happened = _poller.Wait(atMost);
        _hasPolled = happened;
        return happened;
    }

    /// <inheritdoc/>
    public override void Wake() => _poller.Wake();

    /// <inheritdoc/>
    public override void Dispose()
    {
        base.Dispose();
        _poller.Dispose();
    }

    /// <inheritdoc/>
    protected override ReceivePort StartPort(Socket socket, SocketRole role, IRegionChannel? channel)
    {
        Coalesce(socket);
        var port = new LinuxPort(socket, role, channel);
        _poller.Add(port);
        if (role == SocketRole.Multicast) _channels.Add(port);
        return port;
    }

    /// <inheritdoc/>
    protected override void StopPort(ReceivePort port)
    {
        var linux = (LinuxPort)port;
        _channels.Remove(linux);
        _poller.Remove(linux);
        linux.Dispose();
    }

    /// <inheritdoc/>
    protected override void CutEcho(ReceivePort port, TrainSender sender) => EchoFilter.Attach(port.Socket, sender.Source);

    private void ReadData(LinuxPort port, List<Completion> batch, int room)
    {
        // One place is kept for the word that the socket is empty.
        if (port.IsReady && Read(port, batch, room - 1) > 0) port.OwesDrained = true;
        if (!port.OwesDrained || port.IsReady || room < 1) return;
        batch.Add(new Completion(port.Role, PriorityClass.Data, port.Channel, [], 0, 0));
        port.OwesDrained = false;
    }

    private int Read(LinuxPort port, List<Completion> batch, int room)
    {
        int taken = 0;
        int bytes = 0;
        int failures = 0;
        while (taken < room && bytes < MostBytesATake)
        {
            byte[] buffer = _buffers.Rent();
            int length = port.Socket.Receive(buffer, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success && length == 0)
            {
                _buffers.Return(buffer);
                Counters.EmptyReads++;
                taken++;
                continue;
            }
            if (error == SocketError.Success)
            {
                batch.Add(new Completion(port.Role, DatagramKinds.PriorityOfRead(buffer.AsSpan(0, length)), port.Channel, buffer, 0, length));
                Counters.Reads++;
                Counters.ReadBytes += (ulong)length;
                bytes += length;
                taken++;
                continue;
            }
            _buffers.Return(buffer);
            if (error == SocketError.WouldBlock)
            {
                port.IsReady = false;
                return taken;
            }
            // A pending error, which the call has cleared. It may not keep the loop here.
            Counters.ReadErrors++;
            if (++failures < MostFailures) continue;
            port.IsReady = false;
            return taken;
        }
        return taken;
    }
}
