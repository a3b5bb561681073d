using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// R2, counted: bytes of data, repairs and control that nodes send, and control bytes of the busiest second of a node.
/// Whether a budget was kept is judged over ensembles, since it is a statistical promise. O(1) per datagram.
/// </summary>
internal sealed class BudgetChecks(RunContext run)
{
    private readonly Dictionary<int, (long Second, long Control, long Data)> _seconds = [];

    /// <summary>Bytes of packets sent for the first time, each copy of unicast fan-out.</summary>
    public long DataBytes { get; private set; }

    /// <summary>Bytes of packets sent again.</summary>
    public long RepairBytes { get; private set; }

    /// <summary>Bytes of tokens, acknowledgements, NAKs, pulls and beacons.</summary>
    public long ControlBytes { get; private set; }

    /// <summary>Node-seconds in which control took more than 20 kB and more than 2 % of the node's data, sent and
    /// read.</summary>
    public long SecondsOverBudget { get; private set; }

    /// <summary>Node-seconds in which a node sent control at all.</summary>
    public long Seconds { get; private set; }

    /// <summary>A node sends a datagram.</summary>
    public void OnSent(int node, in DatagramHeader header)
    {
        switch (header.Kind)
        {
            case DatagramKind.Data:
            case DatagramKind.Hybrid:
                DataBytes += header.TotalLength;
                Count(node, 0, header.TotalLength);
                break;
            case DatagramKind.Repair:
            case DatagramKind.RepairNote:
            case DatagramKind.RepairPart:
                RepairBytes += header.TotalLength;
                break;
            case DatagramKind.Note:
                // Counted with the packet that it tells of.
                break;
            default:
                ControlBytes += header.TotalLength;
                Count(node, header.TotalLength, 0);
                break;
        }
    }

    /// <summary>A node has read a packet.</summary>
    public void OnRead(int node, int bytes) => Count(node, 0, bytes);

    private void Count(int node, long control, long data)
    {
        long second = run.Now.Ticks / TimeSpan.TicksPerSecond;
        (long Second, long Control, long Data) counted = _seconds.GetValueOrDefault(node, (second, 0, 0));
        if (counted.Second != second)
        {
            if (counted.Control > 0) Seconds++;
            if (counted.Control > Math.Max(20_000, counted.Data / 50)) SecondsOverBudget++;
            counted = (second, 0, 0);
        }
        _seconds[node] = (second, counted.Control + control, counted.Data + data);
    }
}
