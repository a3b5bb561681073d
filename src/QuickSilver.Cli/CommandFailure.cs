namespace QuickSilver.Cli;

/// <summary>Ends a command with an exit code and a text for the error stream.</summary>
/// <param name="code">The exit code.</param>
/// <param name="message">What happened, with a remedy where there is one.</param>
internal sealed class CommandFailure(int code, string message) : Exception(message)
{
    /// <summary>The exit code.</summary>
    public int Code => code;

    /// <summary>Arguments that do not fit together.</summary>
    public static CommandFailure WrongArguments(string message) => new(ExitCode.WrongArguments, message);

    /// <summary>A failure without a code of its own.</summary>
    public static CommandFailure Of(string message) => new(ExitCode.Failed, message);
}
