namespace QuickSilver.Cli;

/// <summary>What a command says by its end, as docs/tool.md lists it.</summary>
internal static class ExitCode
{
    /// <summary>Done; of a stream also: ended by Ctrl+C, in order.</summary>
    public const int Done = 0;

    /// <summary>The arguments are wrong. The usage was printed, and nothing was started.</summary>
    public const int WrongArguments = 1;

    /// <summary>The command has failed: the error stream says why.</summary>
    public const int Failed = 2;

    /// <summary>No membership server admitted the node within the time limit.</summary>
    public const int NoServer = 3;

    /// <summary>The command is done, and what it found is not in order: a recording that was cut short, or a trouble
    /// that the doctor names.</summary>
    public const int NotInOrder = 4;

    /// <summary>Ctrl+C ended a command that had not finished.</summary>
    public const int Interrupted = 130;
}
