using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Transports;

/// <summary>
/// Counts the datagrams that <see cref="SocketRoots"/> has sent since its start, by class. Written by the core thread
/// only.
/// </summary>
internal sealed class SendCounters
{
    private readonly ulong[] _datagrams = new ulong[PriorityClasses.Count];
    private readonly ulong[] _bytes = new ulong[PriorityClasses.Count];

    /// <summary>Trains sent.</summary>
    public ulong Trains { get; private set; }

    /// <summary>How often a socket was full.</summary>
    public ulong Busy { get; internal set; }

    /// <summary>Datagrams that the kernel refused.</summary>
    public ulong Failed { get; internal set; }

    /// <summary>Datagrams sent in a class.</summary>
    public ulong Datagrams(PriorityClass priority) => _datagrams[(int)priority];

    /// <summary>Bytes sent in a class, headers included.</summary>
    public ulong Bytes(PriorityClass priority) => _bytes[(int)priority];

    /// <summary>Bytes of all datagrams sent.</summary>
    public ulong TotalBytes
    {
        get
        {
            ulong total = 0;
            foreach (ulong bytes in _bytes) total += bytes;
            return total;
        }
    }

    /// <summary>All datagrams sent.</summary>
    public ulong TotalDatagrams
    {
        get
        {
            ulong total = 0;
            foreach (ulong datagrams in _datagrams) total += datagrams;
            return total;
        }
    }

    internal void CountSent(PriorityClass priority, int datagrams, int bytes)
    {
        Trains++;
        _datagrams[(int)priority] += (ulong)datagrams;
        _bytes[(int)priority] += (ulong)bytes;
    }
}
