using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>
/// A socket that a <see cref="LinuxPoller"/> watches.
/// <para>
/// Where datagrams come one at a time, asking the socket after each whether it is empty now costs a system call that tells what the poller's next
/// look, which is due anyhow, tells too. So after a few reads that found one datagram each the port is left after its first, and is not called empty
/// before a look has not seen it; once in a while it is read to its end, and if that is more than one datagram it is so always again: whoever reads a
/// stream is better off without a look for each.
/// </para>
/// </summary>
/// <param name="socket">Non-blocking; belongs to the port.</param>
/// <param name="role">What it is for.</param>
/// <param name="channel">The channel whose reads it gives; null for unicast.</param>
/// <param name="poller">Watches it.</param>
internal sealed class LinuxPort(Socket socket, SocketRole role, IRegionChannel? channel, LinuxPoller poller) : SocketPort(socket, role, channel)
{
    private const int LoneReadsToTrust = 4;
    private const int LoneReadsToTest = 16;

    private int _loneReads;
    private ulong _leftAt;

    /// <summary>The socket's descriptor: good for as long as the port is, since nobody else closes it.</summary>
    public nint Descriptor { get; } = socket.SafeHandle.DangerousGetHandle();

    /// <summary>The poller's number for it.</summary>
    public int Token;

    /// <summary>True from when the poller saw something to read until it was read.</summary>
    public bool HasSeen;

    /// <inheritdoc/>
    public override bool IsReady => HasSeen;

    /// <inheritdoc/>
    public override bool IsEmpty => !HasSeen && _leftAt < poller.Looks;

    /// <summary>True when a datagram that has just been read is taken for the only one. A control port is always read to its end.</summary>
    public bool ExpectsNoMore => _loneReads >= LoneReadsToTrust && _loneReads < LoneReadsToTest && Role != SocketRole.Control;

    /// <summary>The port is left after one read, without a look whether there is more.</summary>
    public void LeaveUnsure()
    {
        _loneReads++;
        _leftAt = poller.Looks;
        HasSeen = false;
    }

    /// <summary>The port has been read to its end.</summary>
    /// <param name="datagrams">How many reads that gave, trains among them.</param>
    public void OnEmptied(int datagrams)
    {
        _loneReads = datagrams > 1 ? 0 : Math.Min(_loneReads + 1, LoneReadsToTrust);
        HasSeen = false;
    }
}
