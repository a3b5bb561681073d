using System.CommandLine;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Makes a key.</summary>
internal sealed class KeyNew : CliCommand
{
    private readonly Argument<string> _file = new("FILE") { Description = "The new file, which must not exist." };

    /// <summary>Makes the command.</summary>
    public KeyNew()
        : base("new", "Makes a key of 32 random bytes in a new file that only this user may read.") =>
        Line.Arguments.Add(_file.NoOption());

    /// <inheritdoc/>
    protected override Task<int> RunAsync(CommandCall call)
    {
        string file = call.Value(_file);
        PreSharedKey.CreateFile(file);
        call.Printer.Print(KeyItems.Of(file, KeyItems.Read(file)).Say(
            $"{TerminalText.Escape(file)}: a new key. Copy the file to all machines of the cluster (scp -p), "
            + "and give it to nodes as Security.KeyFile."));
        return Task.FromResult(ExitCode.Done);
    }
}
