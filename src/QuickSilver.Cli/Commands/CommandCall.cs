using System.CommandLine;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>One call of a command.</summary>
/// <param name="Parsed">Its arguments.</param>
/// <param name="Printer">Takes its output.</param>
/// <param name="Stop">Cancelled by Ctrl+C and SIGTERM, and once nobody reads the output.</param>
internal sealed record CommandCall(ParseResult Parsed, Printer Printer, CancellationToken Stop)
{
    /// <summary>The value of an option.</summary>
    public T? Value<T>(Option<T> option) => Parsed.GetValue(option);

    /// <summary>The value of an argument.</summary>
    public T Value<T>(Argument<T> argument) => Parsed.GetValue(argument)!;
}
