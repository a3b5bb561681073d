using System.Collections.Concurrent;
using System.Text.Json;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Chaos;

/// <summary>The driver's end of one process of a chaos run.</summary>
internal sealed class ChaosProcess : IAsyncDisposable
{
    // Ten processes that compile on two cores are a fault that nobody ordered.
    private static readonly Dictionary<string, string> Quick = new()
    {
        ["DOTNET_TieredCompilation"] = "1",
        ["DOTNET_TieredPGO"] = "0",
        ["DOTNET_TC_BackgroundWorkerTimeoutMs"] = "0",
    };

    private readonly ConcurrentDictionary<string, TaskCompletionSource> _answers = new(StringComparer.Ordinal);
    private readonly ChildProcess _child;
    private string? _failure;

    private ChaosProcess(RoleOrder order)
    {
        Order = order;
        _child = ChildProcess.Start(
            order.Name, RoleProgram.Command(), OnLine, Quick);
    }

    /// <summary>What it was told.</summary>
    public RoleOrder Order { get; }

    /// <summary>What it found; null: it has not said.</summary>
    public ProcessReport? Result { get; private set; }

    /// <summary>The operating system's number for it.</summary>
    public int Id => _child.Id;

    /// <summary>True once this side has killed it, or is about to.</summary>
    public bool IsMeantToEnd { get; private set; }

    /// <summary>Why it ended, when nobody had meant it to; null: it has not.</summary>
    public string? Failure =>
        IsMeantToEnd
            ? null
            : _failure ?? (_child.Exit.IsCompleted ? $"ended with {_child.Exit.Result}: {_child.LastLines}" : null);

    /// <summary>Starts a process and hands over its order.</summary>
    public static async Task<ChaosProcess> StartAsync(Spawner spawner, RoleOrder order)
    {
        ChaosProcess process = await spawner.RunAsync(() => new ChaosProcess(order));
        await process._child.TellAsync(JsonSerializer.Serialize(order, RoleJson.Default.RoleOrder));
        return process;
    }

    /// <summary>Sends it a command.</summary>
    public Task TellAsync(string command, long argument = 0) =>
        _child.TellAsync(JsonSerializer.Serialize(new RoleCommand(command, argument), RoleJson.Default.RoleCommand));

    /// <summary>Ends when it has said a word.</summary>
    public Task Said(string word) => Answer(word).Task;

    /// <summary>Kill -9; returns when it is gone.</summary>
    public async Task KillAsync()
    {
        if (!_child.Exit.IsCompleted) IsMeantToEnd = true;
        Signals.Kill(Id);
        await _child.Exit;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await KillAsync();
        await _child.DisposeAsync();
    }

    private TaskCompletionSource Answer(string word) =>
        _answers.GetOrAdd(word, _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));

    private void OnLine(string text)
    {
        try
        {
            if (JsonSerializer.Deserialize(text, RoleJson.Default.RoleLine) is not { } line) return;
            if (line.Result is not null) Result = line.Result;
            if (line.Kind == "failed") _failure = line.Failure;
            Answer(line.Kind).TrySetResult();
        }
        catch (JsonException)
        {
            // A message of the runtime; shown if the process fails.
        }
    }
}
