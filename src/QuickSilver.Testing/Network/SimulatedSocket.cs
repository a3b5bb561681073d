using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Network;

/// <summary>One socket of one node: a first-in first-out receive buffer with a limit in the kernel's accounting, which
/// drops what comes when it is full.</summary>
internal sealed class SimulatedSocket : IEventTarget
{
    private readonly SimulatedTransport _owner;
    private readonly Queue<(Datagram Datagram, Instant Ready)> _queue = new();
    private readonly int _capacity;
    private long _charged;

    /// <summary>Makes an open, empty socket.</summary>
    public SimulatedSocket(SimulatedTransport owner, SocketRole role, int capacity, SimulatedChannel? channel)
    {
        _owner = owner;
        _capacity = capacity;
        Role = role;
        Channel = channel;
    }

    /// <summary>The socket's role.</summary>
    public SocketRole Role { get; }

    /// <summary>The region channel it belongs to; null for unicast sockets.</summary>
    public SimulatedChannel? Channel { get; }

    /// <summary>Index of the machine it belongs to.</summary>
    public int Machine => _owner.Machine;

    /// <summary>Datagrams dropped because the buffer was full.</summary>
    public ulong Drops { get; private set; }

    /// <summary>False once closed: what still arrives is gone.</summary>
    public bool IsOpen { get; private set; } = true;

    /// <summary>From when on a multicast socket receives.</summary>
    public Instant ReceivesFrom { get; set; }

    /// <summary>From when on the datagram to be read next can be read; <see cref="Instant.Never"/> when there is
    /// none.</summary>
    public Instant NextReadable =>
        _queue.TryPeek(out (Datagram Datagram, Instant Ready) head) ? head.Ready : Instant.Never;

    /// <summary>True when a datagram can be read now.</summary>
    public bool IsReadable(Instant now) =>
        _queue.TryPeek(out (Datagram Datagram, Instant Ready) head) && head.Ready <= now;

    /// <summary>The datagram to be read next.</summary>
    public bool TryPeek(Instant now, out Datagram datagram)
    {
        bool any = _queue.TryPeek(out (Datagram Datagram, Instant Ready) head) && head.Ready <= now;
        datagram = head.Datagram;
        return any;
    }

    /// <summary>Takes the datagram that <see cref="TryPeek"/> showed, with its reference.</summary>
    public Datagram Dequeue()
    {
        Datagram datagram = _queue.Dequeue().Datagram;
        _charged -= KernelCharge.OfDatagram(datagram.Length);
        return datagram;
    }

    /// <summary>A datagram arrives at the port of this socket's node.</summary>
    public void OnEvent(object? argument, long value, Instant now)
    {
        var datagram = (Datagram)argument!;
        if (!IsOpen)
        {
            _owner.PassOn(this, datagram);
            return;
        }
        int charge = KernelCharge.OfDatagram(datagram.Length);
        if (now < ReceivesFrom || !_owner.TryPassPort(datagram.Length, now, out Instant ready))
        {
            _owner.CountTrouble(datagram);
            _owner.Pool.Release(datagram);
            return;
        }
        if (_charged + charge > _capacity)
        {
            Drops++;
            _owner.CountBufferDrop();
            _owner.CountTrouble(datagram);
            _owner.Pool.Release(datagram);
            return;
        }
        _charged += charge;
        _queue.Enqueue((datagram, ready));
        _owner.Wake(ready);
    }

    /// <summary>Closes the socket and drops what it holds.</summary>
    public void Close()
    {
        IsOpen = false;
        while (_queue.TryDequeue(out (Datagram Datagram, Instant Ready) head)) _owner.Pool.Release(head.Datagram);
        _charged = 0;
    }
}
