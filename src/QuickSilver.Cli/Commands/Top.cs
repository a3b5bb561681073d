using System.CommandLine;
using System.Text;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Shows the nodes of the cluster while they work, with who is slow and why.</summary>
internal sealed class Top : ClusterCommand
{
    // The alternate screen of the terminal, so that the one before comes back.
    private const string Enter = "\u001b[?1049h\u001b[?25l";
    private const string Leave = "\u001b[?25h\u001b[?1049l";
    private const string Home = "\u001b[H";
    private const string EraseLine = "\u001b[K";
    private const string EraseBelow = "\u001b[J";

    private readonly Option<int?> _count = new("--count", "-n") { Description = "End after so many seconds' figures." };

    /// <summary>Makes the command.</summary>
    public Top()
        : base("top", "Shows the nodes of the cluster live, those with trouble first, and who is slow and why.",
            isOnce: false) => Line.Options.Add(_count.Positive());

    /// <inheritdoc/>
    protected override bool IsStream => true;

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        await using ClusterMonitor monitor = await node.MonitorClusterAsync(call.Stop).ConfigureAwait(false);
        int left = call.Value(_count) ?? int.MaxValue;
        bool isLive = call.Printer is { IsTerminal: true, IsJson: false };
        if (isLive) Write(call, Enter);
        try
        {
            await foreach (ClusterSnapshot cluster in monitor.ReadAllAsync(call.Stop).ConfigureAwait(false))
            {
                if (cluster.Nodes.Count == 0) continue;
                if (call.Printer.IsJson) call.Printer.Print(TopItems.Of(cluster));
                else if (isLive) Write(call, Screen(cluster));
                else WriteLines(call, cluster);
                call.Printer.Flush();
                if (--left == 0) break;
            }
        }
        finally
        {
            if (isLive) Write(call, Leave);
        }
        return ExitCode.Done;
    }

    private static string Screen(ClusterSnapshot cluster)
    {
        TerminalSize size = TerminalSize.Now();
        var screen = new StringBuilder(Home);
        IReadOnlyList<string> lines = TopScreen.Lines(cluster, size.Width - 1, size.Height - 1);
        foreach (string line in lines) screen.Append(line).Append(EraseLine).Append("\r\n");
        return screen.Append(EraseBelow).ToString();
    }

    private static void WriteLines(CommandCall call, ClusterSnapshot cluster)
    {
        foreach (string line in TopScreen.Lines(cluster, int.MaxValue, int.MaxValue)) call.Printer.Line(line);
    }

    private static void Write(CommandCall call, string sequence)
    {
        call.Printer.Sequence(sequence);
        call.Printer.Flush();
    }
}
