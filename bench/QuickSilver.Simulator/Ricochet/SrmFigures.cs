namespace QuickSilver.Simulator.Ricochet;

/// <summary>What came of a case under SRM.</summary>
internal sealed class SrmFigures
{
    /// <summary>Milliseconds from send to discovery, of each loss that a receiver found.</summary>
    public List<double> Discoveries { get; } = [];

    /// <summary>Milliseconds from send to recovery, of each packet that came again.</summary>
    public List<double> Delays { get; } = [];

    /// <summary>Requests sent by multicast.</summary>
    public long Requests { get; set; }

    /// <summary>Packets sent again by multicast.</summary>
    public long Repairs { get; set; }

    /// <summary>Packets received at first transmission.</summary>
    public long Data { get; set; }

    /// <summary>Datagrams of all kinds sent to receivers.</summary>
    public long Datagrams { get; set; }
}
