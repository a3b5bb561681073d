namespace QuickSilver.Hosting;

/// <summary>Limits of the health check.</summary>
public sealed class QuickSilverHealthOptions
{
    /// <summary>Share of time in which the core thread works, above which the node is degraded. Default:
    /// 0.95.</summary>
    public double MaxLoopUtilization { get; set; } = 0.95;

    /// <summary>How long a loss of messages, a slow reader or a stall of the core thread counts. Default:
    /// 30 s.</summary>
    public TimeSpan Memory { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How long the check waits for fresh statistics from the core thread. Default: 1 s.</summary>
    public TimeSpan Patience { get; set; } = TimeSpan.FromSeconds(1);
}
