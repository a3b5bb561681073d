using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// The transport for every system: one armed asynchronous receive on each socket, and non-blocking sends. A receive
/// that completes at once is taken on the core thread without a thread switch; one that completes later wakes a
/// sleeping core. Cost: half the rate of the Linux path, and the latency of two more thread switches. On Linux trains
/// stay whole here too.
/// </summary>
internal sealed class PortableTransport : SocketTransport
{
    private const int MaxFruitless = 16;

    private readonly ReadBufferPool _buffers = new();
    private readonly SleepEvent _sleep = new();

    /// <summary>Opens the unicast sockets; the first reads arm them.</summary>
    public PortableTransport(
        TransportSettings settings, NetworkChoice network, ITransportEvents events, TransportChoice choice)
        : base(settings, network, events, choice)
    {
        StartUnicast();
    }

    /// <inheritdoc/>
    public override void Recycle(in Completion completion)
    {
        if (!completion.IsDrained) _buffers.Return(completion.Buffer);
    }

    /// <inheritdoc/>
    public override bool Wait(TimeSpan limit)
    {
        _sleep.Declare();
        return HasReady ? _sleep.Cancel() : _sleep.Wait(limit);
    }

    /// <inheritdoc/>
    public override void Wake() => _sleep.Set();

    /// <inheritdoc/>
    protected override SocketPort StartPort(Socket socket, SocketRole role, IRegionChannel? channel)
    {
        Coalesce(socket);
        return new PortablePort(socket, role, channel, _sleep.SetIfWaiting);
    }

    /// <inheritdoc/>
    protected override void StopPort(SocketPort port)
    {
        // The buffer of an armed receive is not reused, because the framework may be writing to it.
        port.Dispose();
    }

    /// <inheritdoc/>
    protected override int Read(ReceivePort from, List<Completion> batch, int room)
    {
        var port = (PortablePort)from;
        int taken = 0;
        int fruitless = 0;

        // The limit keeps a socket that fails every time from holding the loop here.
        while (port.IsReady && taken < room && fruitless < MaxFruitless)
        {
            if (port.Buffer is { } buffer)
            {
                port.TakeBuffer();
                if (port.Error == SocketError.Success && port.Length > 0)
                {
                    int length = port.Length;
                    PriorityClass priority = DatagramKinds.PriorityOfRead(buffer.AsSpan(0, length));
                    batch.Add(
                        new Completion(port.Role, priority, port.Channel, buffer, 0, length) { Source = port.Source });
                    Counters.Reads++;
                    Counters.ReadBytes += (ulong)length;
                    taken++;
                }
                else
                {
                    if (port.Error == SocketError.Success) Counters.EmptyReads++;
                    else Counters.ReadErrors++;
                    _buffers.Return(buffer);
                    fruitless++;
                }
            }
            port.TryReceive(_buffers.Rent());
        }
        return taken;
    }
}
