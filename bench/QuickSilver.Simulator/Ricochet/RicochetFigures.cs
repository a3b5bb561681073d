namespace QuickSilver.Simulator.Ricochet;

/// <summary>What came of a case.</summary>
internal sealed class RicochetFigures
{
    /// <summary>Milliseconds from send to recovery, of each packet that repairs gave back.</summary>
    public List<double> Delays { get; } = [];

    /// <summary>Milliseconds from send to the next packet of the same sender and group, for each lost packet: when
    /// protocols that number packets by sender and group discover the loss.</summary>
    public List<double> Discoveries { get; } = [];

    /// <summary>Milliseconds from the first delivery of each message to the last.</summary>
    public List<double> Spreads { get; } = [];

    public long Lost { get; set; }

    public long Data { get; set; }

    public long Repairs { get; set; }

    public long Combined { get; set; }

    /// <summary>Lost and recovered by group.</summary>
    public Dictionary<int, (long Lost, long Recovered)> ByGroup { get; } = [];

    /// <summary>Share of the lost packets that repairs gave back.</summary>
    public double Recovered => Lost == 0 ? 1 : (double)Delays.Count / Lost;

    /// <summary>Repairs as a share of all datagrams.</summary>
    public double RepairShare => (double)Repairs / Math.Max(1, Repairs + Data);

    /// <summary>Combinations of a packet into a repair, for each packet received.</summary>
    public double CombinedAPacket => (double)Combined / Math.Max(1, Data);

    public static double Mean(List<double> values) => values.Count == 0 ? 0 : values.Average();

    public static double At(List<double> values, double share)
    {
        if (values.Count == 0) return 0;
        values.Sort();
        return values[Math.Min(values.Count - 1, (int)(share * values.Count))];
    }
}
