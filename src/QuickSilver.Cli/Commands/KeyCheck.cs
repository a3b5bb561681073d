using System.CommandLine;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Compares files of keys.</summary>
internal sealed class KeyCheck : CliCommand
{
    private readonly Argument<string[]> _files = new("FILE")
    { Description = "Files with keys, or fingerprints of them.", Arity = ArgumentArity.OneOrMore };

    /// <summary>Makes the command.</summary>
    public KeyCheck()
        : base("check", "Says whether files can be used, and whether nodes with them trust each other.") =>
        Line.Arguments.Add(_files.NoOption());

    /// <inheritdoc/>
    protected override Task<int> RunAsync(CommandCall call)
    {
        string[] files = call.Value(_files);
        IReadOnlyList<string>[] all = [.. files.Select(KeyItems.ReadOrTake)];
        bool fit = true;
        for (int one = 0; one < files.Length; one++)
        {
            for (int other = one + 1; other < files.Length; other++)
            {
                // Each side must accept the key that the other one uses.
                bool pair = all[one].Contains(all[other][0]) && all[other].Contains(all[one][0]);
                fit &= pair;
                if (!pair)
                    call.Printer.Line(
                        $"{TerminalText.Escape(files[one])} and {TerminalText.Escape(files[other])} differ: "
                        + "nodes with them do not meet. Copy one of the files over the other.");
            }
        }
        call.Printer.Print(new PrintItem("keys").Add("files", files).Add("fit", fit)
            .Add("keys", all.Select(static prints => prints.Count).Sum())
            .Say(fit ? "in order" : "not in order"));
        return Task.FromResult(fit ? ExitCode.Done : ExitCode.NotInOrder);
    }
}
