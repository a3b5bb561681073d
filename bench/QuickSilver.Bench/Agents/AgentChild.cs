using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Agents;

/// <summary>A role that an agent has started. Any thread.</summary>
/// <param name="link">To the agent.</param>
/// <param name="role">Its number there.</param>
/// <param name="onLine">Told each line of its standard output.</param>
internal sealed class AgentChild(AgentLink link, int role, Action<string> onLine) : IChild
{
    // An agent waits for a role's end for three seconds, and kills it then.
    private static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(6);

    private readonly TaskCompletionSource<int> _exit = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Its number at the agent.</summary>
    public int Role => role;

    /// <inheritdoc/>
    public Task<int> Exit => _exit.Task;

    /// <inheritdoc/>
    public string LastLines { get; private set; } = "";

    /// <summary>It has printed a line.</summary>
    public void OnLine(string line) => onLine(line);

    /// <summary>It has ended.</summary>
    public void OnEnded(int code, string lastLines)
    {
        LastLines = lastLines;
        _exit.TrySetResult(code);
    }

    /// <summary>The agent is gone.</summary>
    public void OnLost(RunFailedException failure)
    {
        _exit.TrySetException(failure);
        // Nobody may be waiting any more.
        _ = _exit.Task.Exception;
    }

    /// <inheritdoc/>
    public Task TellAsync(string line) => link.WriteAsync(new AgentMessage(AgentMessageKind.Tell, role, Text: line));

    /// <inheritdoc/>
    public void Kill() => _ = link.WriteAsync(new AgentMessage(AgentMessageKind.Kill, role));

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (!Exit.IsCompleted)
        {
            await link.WriteAsync(new AgentMessage(AgentMessageKind.Close, role));
            await Task.WhenAny(Exit, Task.Delay(EndLimit));
        }
        link.Forget(this);
    }
}
