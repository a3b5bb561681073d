namespace QuickSilver.Bench.Processes;

/// <summary>A process that was started, wherever it runs: a child of this program, or of an agent on another host.
/// Disposing ends it.</summary>
internal interface IChild : IAsyncDisposable
{
    /// <summary>The exit code, once it has ended and all it printed was read; faults when that cannot be known any
    /// more.</summary>
    Task<int> Exit { get; }

    /// <summary>The last lines it printed.</summary>
    string LastLines { get; }

    /// <summary>Writes a line to its standard input; nothing if it has gone.</summary>
    Task TellAsync(string line);

    /// <summary>Kills it; nothing if it has gone.</summary>
    void Kill();
}
