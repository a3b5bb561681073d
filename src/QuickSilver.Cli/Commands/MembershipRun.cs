using System.CommandLine;
using System.Text;
using System.Net.Sockets;
using QuickSilver.Cli.Printing;
using QuickSilver.Cli.Serving;

namespace QuickSilver.Cli.Commands;

/// <summary>Serves the membership.</summary>
internal sealed class MembershipRun : NodeCommand
{
    private readonly Option<string?> _address = new("--address")
    { Description = "Listening address: an interface, an address or a network [default: all].", HelpName = "WHICH" };

    private readonly Option<bool> _local = new("--local")
    { Description = "Serve the nodes of this machine and user alone, without a choice of security." };

    private readonly Option<bool> _announce = new("--announce")
    { Description = "Announce the server by multicast, for nodes that know no address." };

    /// <summary>Makes the command.</summary>
    public MembershipRun()
        : base("run", "Serves the membership until Ctrl+C. --server names other possible hosts.")
    {
        foreach (Option option in (Option[])[_address, _local, _announce]) Line.Options.Add(option);
    }

    /// <inheritdoc/>
    protected override bool IsStream => true;

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        QuickSilverOptions options = Node.Read(call);
        if (call.Value(_local))
        {
            if (options.Membership.Servers.Count > 0)
                throw CommandFailure.WrongArguments("Give --local or --server, not both.");
            options.Membership.Mode = MembershipMode.Loopback;
        }
        else if (options.Membership.Mode is MembershipMode.Loopback or MembershipMode.Client)
        {
            options.Membership.Mode = MembershipMode.Host;
        }
        if (call.Value(_address) is { } address) options.Membership.Address = address;
        if (call.Value(_announce)) options.Membership.Discovery.Multicast = true;
        await using QuickSilverNode node = await QuickSilverNode.StartAsync(options, call.Stop).ConfigureAwait(false);
        var state = new ServingState(node, options.ClusterName);
        node.Events += (_, happened) =>
        {
            if (happened is not NodeStateChanged changed) return;
            state.Note(changed);
            call.Printer.Print(new PrintItem("state").Add("state", changed.After.ToString())
                .Add("reason", changed.Reason)
                .Remark($"{changed.After}: {TerminalText.Escape(changed.Reason)}"));
            call.Printer.Flush();
        };
        await using ControlServer? control = Listen(node, state, call);
        call.Printer.Print(state.Now());
        call.Printer.Flush();
        await node.Completion.WaitAsync(call.Stop).ConfigureAwait(false);
        return ExitCode.Done;
    }

    // A server without commands still serves.
    private static ControlServer? Listen(QuickSilverNode node, ServingState state, CommandCall call)
    {
        int port = node.ServingAt?.Port ?? 0;
        if (port == 0) return null;
        try
        {
            return new ControlServer(ControlSocket.NewPath(port), (line, stop) => AnswerAsync(node, state, line, stop));
        }
        catch (Exception fault) when (fault is CommandFailure or SocketException or IOException
            or UnauthorizedAccessException)
        {
            call.Printer.Error($"'quicksilver membership forget' will not work: {fault.Message}", ExitCode.Done);
            return null;
        }
    }

    private static async Task<string> AnswerAsync(
        QuickSilverNode node, ServingState state, string line, CancellationToken stop)
    {
        const string Forget = "forget ";
        PrintItem answer;
        if (line == "status")
        {
            answer = state.Now();
        }
        else if (line.StartsWith(Forget, StringComparison.Ordinal))
        {
            string name = line[Forget.Length..];
            try
            {
                int count = await node.ForgetMemberAsync(name, stop).ConfigureAwait(false);
                answer = new PrintItem("forgotten").Add("name", name).Add("members", count)
                    .Say($"{count} members named {TerminalText.Escape(name)} are forgotten");
            }
            catch (Exception refused) when (refused is QuickSilverException or ArgumentException
                or ObjectDisposedException)
            {
                answer = new PrintItem("refused").Add("message", refused.Message)
                    .Say(TerminalText.Escape(refused.Message));
            }
        }
        else
        {
            answer = new PrintItem("refused").Add("message", "no such command").Say("no such command");
        }
        var text = new StringBuilder();
        text.Append(ItemJson.ToText(answer)).Append('\n').Append(answer.Line).Append('\n');
        return text.ToString();
    }
}
