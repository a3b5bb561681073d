using System.CommandLine;
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

    /// <summary>Makes the command.</summary>
    public MembershipForget()
        : base("forget", "Tells 'membership run' on this machine that members are gone for good.")
    {
        Line.Arguments.Add(_member.NoOption());
        Line.Options.Add(_port);
    }

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        string name = call.Value(_member);
        if (name.Length == 0 || name.Any(char.IsControl))
            throw CommandFailure.WrongArguments("The name of a member has no control characters.");
        int port = call.Value(_port);
        string[]? answer = await ControlSocket.AskAsync(ControlSocket.PathOf(port), $"forget {name}", call.Stop)
            .ConfigureAwait(false);
        if (answer is not [var json, var line])
        {
            throw new CommandFailure(
                ExitCode.NoServer,
                $"No 'quicksilver membership run' of this user serves at port {port} of this machine: run the command "
                + "there. A program of your own that serves calls ForgetMemberAsync.");
        }
        if (json.Contains("\"type\":\"refused\"", StringComparison.Ordinal)) throw CommandFailure.Of(line);
        call.Printer.Print(json, line);
        return ExitCode.Done;
    }
}
