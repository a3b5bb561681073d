namespace QuickSilver.Simulator.Ricochet;

/// <summary>What came of a case.</summary>
internal sealed class RicochetFigures
{
    /// <summary>Milliseconds from send to recovery, of each packet that repairs gave back.</summary>
    public List<double> Delays { get; } = [];

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

    /// <summary>Bins of all nodes, and how many nodes have them.</summary>
    public (long Bins, long Nodes) Bins { get; set; }

    /// <summary>Bins a node.</summary>
    public double BinsANode => (double)Bins.Bins / Math.Max(1, Bins.Nodes);

    /// <summary>Mean delay of recoveries, in milliseconds.</summary>
    public double MeanDelay => Mean(Delays);

    /// <summary>Adds the figures of another run.</summary>
    public void Add(RicochetFigures other)
    {
        Delays.AddRange(other.Delays);
        Spreads.AddRange(other.Spreads);
        Lost += other.Lost;
        Data += other.Data;
        Repairs += other.Repairs;
        Combined += other.Combined;
        Bins = (Bins.Bins + other.Bins.Bins, Bins.Nodes + other.Bins.Nodes);
        foreach ((int group, (long lost, long recovered)) in other.ByGroup)
        {
            (long Lost, long Recovered) sum = ByGroup.GetValueOrDefault(group);
            ByGroup[group] = (sum.Lost + lost, sum.Recovered + recovered);
        }
    }

    /// <summary>The delay of recovery that a share of the recovered packets does not exceed.</summary>
    public double Delay(double share)
    {
        if (Delays.Count == 0) return 0;
        Delays.Sort();
        return Delays[Math.Min(Delays.Count - 1, (int)(share * Delays.Count))];
    }

    /// <summary>The mean; 0 of nothing.</summary>
    public static double Mean(List<double> values) => values.Count == 0 ? 0 : values.Average();
}
