namespace QuickSilver.Testing.Network;

/// <summary>What happened to datagrams in a run; each copy of a multicast counts.</summary>
internal sealed class NetworkCounters
{
    /// <summary>Copies that were to reach a socket.</summary>
    public ulong Copies { get; internal set; }

    /// <summary>Copies lost on links.</summary>
    public ulong Lost { get; internal set; }

    /// <summary>Copies stopped by a cut, a deaf or mute node, or a multicast outage.</summary>
    public ulong Blocked { get; internal set; }

    /// <summary>Copies that came twice.</summary>
    public ulong Duplicated { get; internal set; }

    /// <summary>Copies held back so that others overtook.</summary>
    public ulong HeldBack { get; internal set; }

    /// <summary>Datagrams that a stranger has sent.</summary>
    public ulong Forged { get; internal set; }

    /// <summary>Copies damaged.</summary>
    public ulong Damaged { get; internal set; }

    /// <summary>Copies dropped at a full switch port.</summary>
    public ulong PortDrops { get; internal set; }

    /// <summary>Datagrams dropped for want of receive buffer.</summary>
    public ulong BufferDrops { get; internal set; }

    /// <summary>Bytes of the copies of packets, first or repaired, that were lost, stopped, held back, damaged or
    /// dropped.</summary>
    public long PacketBytesTroubled { get; internal set; }

    /// <summary>Copies to which the network did something, all kinds together.</summary>
    public ulong Faults => Lost + Blocked + Duplicated + HeldBack + Damaged + PortDrops + BufferDrops;

    /// <summary>Datagrams longer than the network carries, or sent where nobody listens.</summary>
    public ulong Vanished { get; internal set; }
}
