using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>One multicast address as one node has it open, with a socket of its own while it receives.</summary>
internal sealed class SimulatedChannel(NetEndpoint group) : IRegionChannel
{
    private ulong _dropsBefore;

    /// <summary>The address.</summary>
    public NetEndpoint Group { get; } = group;

    /// <summary>How often it is open.</summary>
    public int Openers { get; set; }

    /// <summary>How many of the openers receive.</summary>
    public int Receivers { get; set; }

    /// <summary>The socket; null while nobody receives.</summary>
    public SimulatedSocket? Socket { get; private set; }

    /// <inheritdoc/>
    public ulong Drops => _dropsBefore + (Socket?.Drops ?? 0);

    /// <summary>Begins to receive.</summary>
    public SimulatedSocket StartReceiving(SimulatedTransport owner, int capacity) =>
        Socket = new SimulatedSocket(owner, SocketRole.Multicast, capacity, this);

    /// <summary>Receives no more.</summary>
    public void StopReceiving()
    {
        if (Socket is null) return;
        _dropsBefore += Socket.Drops;
        Socket.Close();
        Socket = null;
    }
}
