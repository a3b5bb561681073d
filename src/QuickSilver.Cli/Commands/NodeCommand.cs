using QuickSilver.Cli.Arguments;

namespace QuickSilver.Cli.Commands;

/// <summary>A command with a node.</summary>
internal abstract class NodeCommand : CliCommand
{
    /// <summary>Adds the options of a node.</summary>
    protected NodeCommand(string name, string summary)
        : base(name, summary) => Node = new NodeArguments(Line);

    /// <summary>The options of the node.</summary>
    protected NodeArguments Node { get; }

    /// <summary>Starts the node of the command line.</summary>
    protected Task<QuickSilverNode> StartAsync(CommandCall call) =>
        QuickSilverNode.StartAsync(Node.Read(call), call.Stop);

    /// <summary>Waits within the time limit of the command line.</summary>
    /// <param name="call">The call.</param>
    /// <param name="wait">The wait.</param>
    /// <exception cref="CommandFailure">The limit has passed; the text says what was waited for.</exception>
    protected async Task<T> WithinAsync<T>(CommandCall call, Func<CancellationToken, Task<T>> wait)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(call.Stop);
        TimeSpan timeout = Node.Timeout(call);
        limit.CancelAfter(timeout);
        try
        {
            return await wait(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException late) when (!call.Stop.IsCancellationRequested)
        {
            throw CommandFailure.Of($"{late.Message} The limit is {timeout.TotalSeconds:0.#} s (--timeout).");
        }
    }
}
