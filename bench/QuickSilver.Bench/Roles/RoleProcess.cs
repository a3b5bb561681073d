using System.Text.Json;
using System.Threading.Channels;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Reports;

namespace QuickSilver.Bench.Roles;

/// <summary>The scenario's end of its talk with a child process.</summary>
internal sealed class RoleProcess : IAsyncDisposable
{
    private readonly TaskCompletionSource _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<ProcessReport> _result = new(
        TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _failure = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Channel<RoleLine> _answers = Channel.CreateUnbounded<RoleLine>();
    private readonly string _name;
    private IChild _child = null!;
    private bool _isMeantToEnd;

    private RoleProcess(RoleOrder order, RoleLaunch? launch)
    {
        Order = order;
        _name = launch?.Agent is { } agent ? $"{order.Name} on {agent.Name}" : order.Name;
    }

    /// <summary>What it was told to do.</summary>
    public RoleOrder Order { get; }

    /// <summary>The operating system's number for it, if it is a child of this program.</summary>
    /// <exception cref="InvalidOperationException">It runs on another host.</exception>
    public int Id => _child is ChildProcess own ? own.Id : throw new InvalidOperationException($"{_name} is elsewhere");

    /// <summary>Ends when it is ready to begin; faults when it failed first.</summary>
    public Task Ready => _ready.Task;

    /// <summary>Ends when it has said that something asked for is done; faults when it failed first.</summary>
    public Task Done => _done.Task;

    /// <summary>Ends with its findings; faults when it failed first.</summary>
    public Task<ProcessReport> Result => _result.Task;

    /// <summary>Faults when it fails, whatever is waited for; never ends otherwise.</summary>
    public Task Failure => _failure.Task;

    /// <summary>Starts it and hands over its order.</summary>
    /// <param name="order">What it is to do.</param>
    /// <param name="launch">How to start it; null: this program again.</param>
    public static async Task<RoleProcess> StartAsync(RoleOrder order, RoleLaunch? launch = null)
    {
        var process = new RoleProcess(order, launch);
        if (launch?.Agent is { } agent)
        {
            process._child = await agent.StartAsync(order, process.OnLine);
        }
        else
        {
            var child = ChildProcess.Start(
                order.Name, [.. launch?.Prefix ?? [], .. launch?.Command ?? RoleProgram.Command()], process.OnLine,
                RoleProgram.EnvironmentOf(order, launch));
            process._child = child;
            await child.TellAsync(JsonSerializer.Serialize(order, RoleJson.Default.RoleOrder));
        }
        _ = process.WatchAsync();
        return process;
    }

    /// <summary>Sends it a command.</summary>
    public Task TellAsync(RoleCommand command) =>
        _child.TellAsync(JsonSerializer.Serialize(command, RoleJson.Default.RoleCommand));

    /// <summary>Takes its next answer to a command that only some roles know. One caller at a time.</summary>
    /// <param name="kind">That it is to be of; others are passed over.</param>
    /// <exception cref="RunFailedException">It failed.</exception>
    public async Task<RoleLine> AnswerAsync(string kind)
    {
        while (true)
        {
            RoleLine line = await _answers.Reader.ReadAsync();
            if (line.Kind == kind) return line;
        }
    }

    /// <summary>Kills it: nothing of it ends in order. That it is gone is no failure then.</summary>
    public void Kill()
    {
        _isMeantToEnd = true;
        _child.Kill();
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _isMeantToEnd = true;
        return _child.DisposeAsync();
    }

    private void OnLine(string text)
    {
        RoleLine? line = null;
        try
        {
            line = JsonSerializer.Deserialize(text, RoleJson.Default.RoleLine);
        }
        catch (JsonException)
        {
            // A message of the runtime; shown if the process fails.
        }
        if (line?.Kind == "ready") _ready.TrySetResult();
        if (line is { Kind: "result", Result: { } result }) _result.TrySetResult(result);
        if (line?.Kind == "done") _done.TrySetResult();
        if (line?.Kind == "failed") Fail($"{_name}: {line.Failure ?? "failed"}");
        if (line is not null) _answers.Writer.TryWrite(line);
    }

    private async Task WatchAsync()
    {
        try
        {
            int code = await _child.Exit;
            Fail($"{_name}: ended with {code}: {_child.LastLines}");
        }
        catch (RunFailedException gone)
        {
            Fail(gone.Message);
        }
    }

    private void Fail(string reason)
    {
        var failure = new RunFailedException(reason);
        if (!_isMeantToEnd) _failure.TrySetException(failure);
        // Nobody may be waiting any more.
        _ = _failure.Task.Exception;
        foreach (TaskCompletionSource told in (TaskCompletionSource[])[_ready, _done])
        {
            told.TrySetException(failure);
            _ = told.Task.Exception;
        }
        _answers.Writer.TryComplete(failure);
        _result.TrySetException(failure);
        _ = _result.Task.Exception;
    }
}
