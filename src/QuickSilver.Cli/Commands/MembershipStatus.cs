using QuickSilver.Cli.Printing;
using QuickSilver.Cli.Serving;

namespace QuickSilver.Cli.Commands;

/// <summary>Says who serves the membership, and in what state it is.</summary>
internal sealed class MembershipStatus : NodeCommand
{
    /// <summary>Makes the command.</summary>
    public MembershipStatus()
        : base("status", "Asks the server of this machine, or joins the cluster, and tells the state.")
    {
    }

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        string served = "";
        QuickSilverOptions options = Node.Read(call, (id, _, text) =>
        {
            if (id is 1101 or 1102) served = text;
        });
        if (options.Membership.Servers.Count == 0
            && await ControlSocket.FindAsync(options.Membership.Port, call.Stop).ConfigureAwait(false) is [_, ..] here)
        {
            foreach ((_, string json, string line) in here) call.Printer.Print(json, line);
            return ExitCode.Done;
        }
        await using QuickSilverNode node = await QuickSilverNode.StartAsync(options, call.Stop).ConfigureAwait(false);
        PrintItem state = new ServingState(node, options.ClusterName).Now();
        call.Printer.Print(state.Add("server", served).Say($"{state.Line}. {TerminalText.Escape(served)}"));
        return node.State == NodeState.Running ? ExitCode.Done : ExitCode.NotInOrder;
    }
}
