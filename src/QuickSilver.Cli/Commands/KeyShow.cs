using System.CommandLine;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Describes the keys of a file without telling them.</summary>
internal sealed class KeyShow : CliCommand
{
    private readonly Argument<string> _file = new("FILE") { Description = "A file with keys." };

    /// <summary>Makes the command.</summary>
    public KeyShow()
        : base("show", "Prints a fingerprint of each key of a file, never a key.") =>
        Line.Arguments.Add(_file.NoOption());

    /// <inheritdoc/>
    protected override Task<int> RunAsync(CommandCall call)
    {
        string file = call.Value(_file);
        IReadOnlyList<string> prints = KeyItems.Read(file);
        call.Printer.Print(KeyItems.Of(file, prints));
        for (int index = 0; index < prints.Count; index++)
            call.Printer.Line($"{prints[index]}  {(index == 0 ? "used" : "accepted")}");
        return Task.FromResult(ExitCode.Done);
    }
}
