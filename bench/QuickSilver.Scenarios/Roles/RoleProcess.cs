using System.Diagnostics;
using System.Text.Json;
using QuickSilver.Bench.Processes;
using QuickSilver.Scenarios.Reports;

namespace QuickSilver.Scenarios.Roles;

/// <summary>The scenario's end of its talk with a child process.</summary>
internal sealed class RoleProcess : IAsyncDisposable
{
    private const string TieredCompilation = "DOTNET_TieredCompilation";

    private readonly TaskCompletionSource _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<ProcessReport> _result = new(
        TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ChildProcess _child;

    private RoleProcess(RoleOrder order, RoleLaunch? launch)
    {
        Order = order;
        IReadOnlyList<string> command = launch?.Command
            ?? ChildProcess.CommandOf(typeof(RoleProcess).Assembly, RoleProgram.Word);
        _child = ChildProcess.Start(
            order.Name, [.. launch?.Prefix ?? [], .. command], OnLine, EnvironmentOf(order, launch));
        _ = WatchAsync();
    }

    /// <summary>What it was told to do.</summary>
    public RoleOrder Order { get; }

    /// <summary>The operating system's number for it.</summary>
    public int Id => _child.Id;

    /// <summary>Ends when it is ready to begin; faults when it failed first.</summary>
    public Task Ready => _ready.Task;

    /// <summary>Ends when it has said that something asked for is done; faults when it failed first.</summary>
    public Task Done => _done.Task;

    /// <summary>Ends with its findings; faults when it failed first.</summary>
    public Task<ProcessReport> Result => _result.Task;

    /// <summary>Starts it and hands over its order.</summary>
    /// <param name="order">What it is to do.</param>
    /// <param name="launch">How to start it; null: this program again.</param>
    public static async Task<RoleProcess> StartAsync(RoleOrder order, RoleLaunch? launch = null)
    {
        var process = new RoleProcess(order, launch);
        await process._child.TellAsync(JsonSerializer.Serialize(order, RoleJson.Default.RoleOrder));
        return process;
    }

    /// <summary>Sends it a command.</summary>
    public Task TellAsync(RoleCommand command) =>
        _child.TellAsync(JsonSerializer.Serialize(command, RoleJson.Default.RoleCommand));

    /// <summary>Kills it: nothing of it ends in order.</summary>
    public void Kill()
    {
        using var process = Process.GetProcessById(Id);
        process.Kill();
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _child.DisposeAsync();

    // As the runtime comes, unless the one who started the scenario said otherwise; this program's own setting is for
    // the process that reports.
    private static Dictionary<string, string> EnvironmentOf(RoleOrder order, RoleLaunch? launch)
    {
        var environment = new Dictionary<string, string>(launch?.Environment ?? new Dictionary<string, string>());
        if (order.CompilesOnce) environment[TieredCompilation] = "0";
        else environment.TryAdd(TieredCompilation, Environment.GetEnvironmentVariable(TieredCompilation) ?? "1");
        return environment;
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
        if (line?.Kind == "failed") Fail(line.Failure ?? "failed");
    }

    private async Task WatchAsync()
    {
        int code = await _child.Exit;
        Fail($"ended with {code}: {_child.LastLines}");
    }

    private void Fail(string reason)
    {
        var failure = new RunFailedException($"{Order.Name}: {reason}");
        _ready.TrySetException(failure);
        _done.TrySetException(failure);
        _result.TrySetException(failure);
        // Nobody may be waiting any more.
        _ = _ready.Task.Exception;
        _ = _done.Task.Exception;
        _ = _result.Task.Exception;
    }
}
