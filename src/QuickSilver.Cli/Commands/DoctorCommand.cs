using System.CommandLine;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Doctor;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Finds what keeps nodes apart, or makes them slow.</summary>
internal sealed class DoctorCommand : NodeCommand
{
    private readonly Option<double> _seconds = new Option<double>("--seconds")
    {
        Description = "How long messages are exchanged with other doctors.",
        DefaultValueFactory = static _ => 6,
    }.Above(0.0);

    private readonly Option<bool> _answer = new("--answer")
    { Description = "Take part in the examinations of doctors on other machines, until Ctrl+C." };

    /// <summary>Makes the command.</summary>
    public DoctorCommand()
        : base("doctor", "Examines this machine, its way to the cluster, and to other doctors; names remedies.")
    {
        Line.Options.Add(_seconds);
        Line.Options.Add(_answer);
    }

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        if (call.Value(_answer)) return await AnswerAsync(call).ConfigureAwait(false);
        Scene scene = await Examination.RunAsync(call, Node, TimeSpan.FromSeconds(call.Value(_seconds)))
            .ConfigureAwait(false);
        int troubles = 0;
        foreach (ICheck check in Checks.All)
        {
            foreach (Finding finding in check.Look(scene))
            {
                if (finding.Severity == Severity.Trouble) troubles++;
                call.Printer.Print(Of(check, finding));
            }
        }
        call.Printer.Print(new PrintItem("examined").Add("troubles", troubles).Add("peers", scene.Peers.Count)
            .Say(troubles == 0 ? "No trouble was found." : $"{troubles} troubles were found."));
        return troubles == 0 ? ExitCode.Done : ExitCode.NotInOrder;
    }

    private async Task<int> AnswerAsync(CommandCall call)
    {
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        await using Exchange exchange = await Exchange.JoinAsync(node, call.Stop).ConfigureAwait(false);
        call.Printer.Print(new PrintItem("answering").Add("node", node.Name)
            .Remark($"{TerminalText.Escape(node.Name)} answers doctors until Ctrl+C"));
        call.Printer.Flush();
        await exchange.SendAsync(call.Stop).ConfigureAwait(false);
        return ExitCode.Done;
    }

    private static PrintItem Of(ICheck check, Finding finding)
    {
        string word = finding.Severity switch
        {
            Severity.Good => "ok",
            Severity.Note => "note",
            _ => "TROUBLE",
        };
        string what = TerminalText.Escape(finding.What);
        string remedy = finding.Remedy.Length == 0
            ? "" : $"{Environment.NewLine}{"",-24}-> {TerminalText.Escape(finding.Remedy)}";
        return new PrintItem("finding").Add("check", check.Name).Add("severity", finding.Severity.ToString())
            .Add("what", finding.What).Add("remedy", finding.Remedy)
            .Say($"{word,-8}{check.Name,-16}{what}{remedy}");
    }
}
