using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Parsing;
using QuickSilver.Cli.Commands;

namespace QuickSilver.Cli;

/// <summary>The command line of the tool.</summary>
internal static class CommandTree
{
    private const string Summary =
        "Reads and writes groups of a QuickSilver cluster, shows who is slow and why, finds what keeps nodes apart.";

    // What a node needs to leave in order.
    private static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(15);

    /// <summary>The option that has everything printed as JSON.</summary>
    public static Option<bool> Json { get; } = new("--json")
    {
        Description = "One JSON object a line.",
        Recursive = true,
    };

    /// <summary>Parses and runs. Wrong arguments are told with the usage, on the error stream.</summary>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(string[] args)
    {
        Command root = Make();
        var configuration = new InvocationConfiguration { ProcessTerminationTimeout = EndLimit };
        try
        {
            ParseResult parsed = root.Parse(args);
            if (parsed.Errors.Count > 0) configuration.Output = Console.Error;
            return await parsed.InvokeAsync(configuration).ConfigureAwait(false);
        }
        catch (InvalidOperationException unreadable) when (unreadable.Source == "System.CommandLine")
        {
            // The rule of an option read its value before the parser has refused one of the wrong type.
            TellUsage(args.TakeWhile(static word => !word.StartsWith('-')).ToArray());
            await Console.Error.WriteLineAsync(unreadable.Message).ConfigureAwait(false);
            return ExitCode.WrongArguments;
        }
    }

    /// <summary>Prints the usage of the command that was called, to the error stream.</summary>
    public static void TellUsage(ParseResult parsed)
    {
        var words = new Stack<string>();
        for (SymbolResult? at = parsed.CommandResult; at is CommandResult one && one.Parent is not null; at = at.Parent)
            words.Push(one.Command.Name);
        TellUsage([.. words]);
    }

    private static void TellUsage(string[] words) =>
        Make().Parse([.. words, "--help"]).Invoke(new InvocationConfiguration { Output = Console.Error });

    private static Command Make()
    {
        // Not a root command of the parser, which would have the name of the assembly.
        var root = new Command("quicksilver", Summary)
        {
            Json, new HelpOption { Recursive = true }, new VersionOption(),
        };
        foreach (CliCommand command in All()) root.Subcommands.Add(command.Build());
        root.Subcommands.Add(Family(
            "key", "Makes, describes and checks the key of a cluster.", new KeyNew(), new KeyShow(), new KeyCheck()));
        root.Subcommands.Add(Family(
            "membership", "Serves the membership, and tells of it.",
            new MembershipRun(), new MembershipStatus(), new MembershipForget()));
        return root;
    }

    private static Command Family(string name, string summary, params ReadOnlySpan<CliCommand> commands)
    {
        var family = new Command(name, summary);
        foreach (CliCommand command in commands) family.Subcommands.Add(command.Build());
        return family;
    }

    private static CliCommand[] All() =>
    [
        new Sub(),
        new Pub(),
        new Record(),
        new Replay(),
        new Members(),
        new Groups(),
        new ViewCommand(),
        new Sites(),
        new Top(),
        new Dash(),
        new Ping(),
        new Bench(),
        new DoctorCommand(),
    ];
}
