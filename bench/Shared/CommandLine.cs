using System.CommandLine;
using System.CommandLine.Invocation;

namespace QuickSilver.Bench;

/// <summary>Runs a program's command line.</summary>
internal static class CommandLine
{
    // The same as where the parser refuses.
    private const int WrongCommandLine = 1;
    private static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Parses and runs. A wrong command line is told in a line, not in a page of help; Ctrl-C gives the program ten
    /// seconds for an orderly end.
    /// </summary>
    /// <returns>The exit code.</returns>
    public static Task<int> RunAsync(RootCommand command, string[] args)
    {
        ParseResult parsed;
        try
        {
            parsed = command.Parse(args);
        }
        catch (InvalidOperationException unreadable)
        {
            // The rules of an option read its value before the parser has refused one of the wrong type.
            Console.Error.WriteLine(unreadable.Message);
            return Task.FromResult(WrongCommandLine);
        }
        if (parsed.Action is ParseErrorAction error) error.ShowHelp = false;
        return parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = EndLimit });
    }
}
