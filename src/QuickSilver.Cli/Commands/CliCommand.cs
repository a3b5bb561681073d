using System.CommandLine;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>A command of the tool. Its failures become exit codes here, the same for all.</summary>
/// <param name="name">Its word.</param>
/// <param name="summary">What it is for.</param>
internal abstract class CliCommand(string name, string summary)
{
    /// <summary>The command of the parser, to add arguments and options to.</summary>
    protected Command Line { get; } = new(name, summary);

    /// <summary>True if the command goes on until Ctrl+C, which is its ordinary end.</summary>
    protected virtual bool IsStream => false;

    /// <summary>Returns the command of the parser.</summary>
    public Command Build()
    {
        Line.SetAction(RunAsync);
        return Line;
    }

    /// <summary>Runs.</summary>
    /// <returns>The exit code.</returns>
    protected abstract Task<int> RunAsync(CommandCall call);

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken stop)
    {
        using Printer printer = Printer.OfProcess(parsed.GetValue(CommandTree.Json));
        using var end = CancellationTokenSource.CreateLinkedTokenSource(stop, printer.Closed);
        int code;
        try
        {
            code = await RunAsync(new CommandCall(parsed, printer, end.Token)).ConfigureAwait(false);
        }
        catch (Exception failure) when (CodeOf(failure, end.Token) is { } known)
        {
            code = known;
            // The usage is long: what is wrong stands below it.
            if (code == ExitCode.WrongArguments && !printer.IsJson) CommandTree.TellUsage(parsed);
            if (failure is not OperationCanceledException) printer.Error(failure.Message, code);
        }
        printer.Flush();
        // Who reads no further has what was wanted.
        return printer.Closed.IsCancellationRequested ? ExitCode.Done : code;
    }

    private int? CodeOf(Exception failure, CancellationToken stop) => failure switch
    {
        CommandFailure known => known.Code,
        OperationCanceledException when stop.IsCancellationRequested => IsStream ? ExitCode.Done : ExitCode.Interrupted,
        MembershipUnavailableException { Code: ErrorCode.MembershipUnreachable } => ExitCode.NoServer,
        QuickSilverException => ExitCode.Failed,
        // What an option or a name has wrong is found by the node.
        ArgumentException => ExitCode.WrongArguments,
        IOException or UnauthorizedAccessException => ExitCode.Failed,
        _ => null,
    };
}
