using System.CommandLine;
using System.Diagnostics;
using QuickSilver.Cli.Arguments;

namespace QuickSilver.Cli.Commands;

/// <summary>A command that looks at what all nodes say of themselves.</summary>
internal abstract class ClusterCommand : NodeCommand
{
    // A node publishes once a second, from the moment on when it hears of the monitor.
    private const double UsualSeconds = 3;

    private readonly Option<double> _seconds = new Option<double>("--seconds")
    {
        Description = "How long nodes are listened to; each tells of itself once a second.",
        DefaultValueFactory = static _ => UsualSeconds,
    }.Above(0.0);

    /// <summary>Makes the command.</summary>
    protected ClusterCommand(string name, string summary, bool isOnce)
        : base(name, summary)
    {
        if (isOnce) Line.Options.Add(_seconds);
    }

    /// <summary>Listens for a while.</summary>
    /// <returns>The last snapshot.</returns>
    protected async Task<ClusterSnapshot> LookAsync(CommandCall call)
    {
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        await using ClusterMonitor monitor = await node.MonitorClusterAsync(call.Stop).ConfigureAwait(false);
        long start = Stopwatch.GetTimestamp();
        var length = TimeSpan.FromSeconds(call.Value(_seconds));
        await foreach (ClusterSnapshot snapshot in monitor.ReadAllAsync(call.Stop).ConfigureAwait(false))
            if (Stopwatch.GetElapsedTime(start) >= length) return snapshot;
        return monitor.Latest;
    }
}
