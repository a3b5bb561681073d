using System.CommandLine;
using System.Text.Json;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;
using QuickSilver.Cli.Serving;

namespace QuickSilver.Cli.Commands;

/// <summary>Ends the wait of a server for members that will not return.</summary>
internal sealed class MembershipForget : CliCommand
{
    private readonly Argument<string> _member = new("NAME")
    { Description = "Name of the members, as log record 1120 has it." };

    private readonly Option<int> _port = new Option<int>("--port")
    { Description = "Port of the server.", DefaultValueFactory = static _ => MembershipOptions.DefaultPort }.Above(0);

    private readonly Option<string?> _cluster = new("--cluster", "-c")
    { Description = "Name of its cluster, where several servers have the port.", HelpName = "NAME" };

    /// <summary>Makes the command.</summary>
    public MembershipForget()
        : base("forget", "Tells 'membership run' on this machine that members are gone for good.")
    {
        Line.Arguments.Add(_member.NoOption());
        Line.Options.Add(_port);
        Line.Options.Add(_cluster);
    }

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        string name = call.Value(_member);
        if (name.Length == 0 || name.Any(char.IsControl))
            throw CommandFailure.WrongArguments("The name of a member has no control characters.");
        string server = await FindServerAsync(call).ConfigureAwait(false);
        string[]? answer = await ControlSocket.AskAsync(server, $"forget {name}", call.Stop).ConfigureAwait(false);
        if (answer is not [var json, var line]) throw CommandFailure.Of("The server has ended meanwhile.");
        if (json.Contains("\"type\":\"refused\"", StringComparison.Ordinal)) throw CommandFailure.Of(line);
        call.Printer.Print(json, line);
        return ExitCode.Done;
    }

    private async Task<string> FindServerAsync(CommandCall call)
    {
        int port = call.Value(_port);
        string? cluster = call.Value(_cluster);
        IReadOnlyList<(string Path, string Json, string Line)> here =
            await ControlSocket.FindAsync(port, call.Stop).ConfigureAwait(false);
        string[] fit =
        [
            .. here.Where(one => cluster is null || ClusterOf(one.Json) == cluster).Select(static one => one.Path),
        ];
        if (fit is [var server]) return server;
        if (fit.Length > 1)
        {
            throw CommandFailure.Of(
                $"{fit.Length} servers of this user have port {port}: name the cluster (--cluster). They are "
                + string.Join("; ", here.Select(static one => one.Line)) + ".");
        }
        throw new CommandFailure(
            ExitCode.NoServer,
            $"No 'quicksilver membership run' of this user serves {(cluster is null ? "" : $"'{cluster}' ")}at port "
            + $"{port} of this machine: run the command there. A program of your own that serves calls "
            + "ForgetMemberAsync.");
    }

    private static string? ClusterOf(string json)
    {
        using JsonDocument state = JsonDocument.Parse(json);
        return state.RootElement.GetProperty("cluster").GetString();
    }
}
