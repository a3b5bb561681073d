using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using QuickSilver.Bench.Processes;

namespace QuickSilver.Cli.Tests;

/// <summary>One run of the tool as a process. Its lines are kept in order.</summary>
internal sealed class ToolRun : IAsyncDisposable
{
    /// <summary>How long a wait lasts before the test fails.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(20);

    private static readonly ConcurrentDictionary<string, string> Ports = new();

    private readonly List<string> _lines = [];
    private readonly ChildProcess _process;

    private ToolRun(IReadOnlyList<string> command, IReadOnlyDictionary<string, string>? environment = null)
    {
        _process = ChildProcess.Start(
            "quicksilver", command,
            line =>
            {
                lock (_lines) _lines.Add(line);
            },
            environment);
    }

    /// <summary>The path of the tool.</summary>
    public static string Program { get; } = Path.Combine(AppContext.BaseDirectory, "QuickSilver.Cli.dll");

    /// <summary>Number of its process.</summary>
    public int Id => _process.Id;

    /// <summary>The lines of its standard output so far.</summary>
    public IReadOnlyList<string> Lines
    {
        get
        {
            lock (_lines) return [.. _lines];
        }
    }

    /// <summary>Its last lines, those of the error stream included.</summary>
    public string All => _process.LastLines;

    /// <summary>A name that no other cluster has. Its membership has a port of its own, which runs that name the
    /// cluster by <c>-c</c> are given.</summary>
    public static string NewCluster()
    {
        string name = $"cli {Guid.NewGuid():N}";
        Ports[name] = FreePort.Find().ToString(CultureInfo.InvariantCulture);
        return name;
    }

    /// <summary>Options of a node of the test in such a cluster.</summary>
    public static QuickSilverOptions OptionsOf(string cluster)
    {
        var options = new QuickSilverOptions { ClusterName = cluster };
        options.Membership.Port = int.Parse(Ports[cluster], CultureInfo.InvariantCulture);
        return options;
    }

    /// <summary>Starts the tool.</summary>
    public static ToolRun Start(params string[] arguments) => new(ChildProcess.CommandOf(Program, Place(arguments)));

    /// <summary>Starts the tool with words before its command, and variables.</summary>
    public static ToolRun Start(
        IReadOnlyList<string> prefix, string[] arguments, IReadOnlyDictionary<string, string>? environment = null) =>
        new([.. prefix, .. ChildProcess.CommandOf(Program, Place(arguments))], environment);

    /// <summary>Starts the tool in a terminal.</summary>
    public static ToolRun InTerminal(params string[] arguments)
    {
        string line = string.Join(
            ' ', ChildProcess.CommandOf(Program, Place(arguments)).Select(static word => $"'{word}'"));
        return new ToolRun(["script", "-qec", $"stty cols 100 rows 30; {line}", "/dev/null"]);
    }

    /// <summary>Runs the tool to its end.</summary>
    /// <returns>The exit code, the lines of its output, and its last lines with errors.</returns>
    public static async Task<(int Code, IReadOnlyList<string> Lines, string All)> RunAsync(params string[] arguments)
    {
        await using ToolRun run = Start(arguments);
        int code = await run.EndAsync();
        return (code, run.Lines, run.All);
    }

    /// <summary>Waits for its end.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> EndAsync()
    {
        try
        {
            return await _process.Exit.WaitAsync(Patience);
        }
        catch (TimeoutException)
        {
            Assert.Fail($"It has not ended. It said: {All}");
            return -1;
        }
    }

    /// <summary>Sends it SIGINT, as Ctrl+C does, and waits for its end.</summary>
    public async Task<int> InterruptAsync()
    {
        Assert.SkipUnless(!OperatingSystem.IsWindows(), "Windows has no signals");
        string id = _process.Id.ToString(CultureInfo.InvariantCulture);
        using (Process kill = Process.Start("kill", ["-INT", id])) await kill.WaitForExitAsync();
        return await EndAsync();
    }

    /// <summary>Kills it.</summary>
    public void Kill() => _process.Kill();

    /// <summary>Writes a line to its input.</summary>
    public Task TellAsync(string line) => _process.TellAsync(line);

    /// <summary>Waits until something is so.</summary>
    public Task UntilAsync(Func<bool> isSo, string what) => UntilAsync(() => Task.FromResult(isSo()), what);

    /// <summary>Waits until something is so.</summary>
    public async Task UntilAsync(Func<Task<bool>> isSo, string what)
    {
        long start = Stopwatch.GetTimestamp();
        while (!await isSo())
        {
            if (_process.Exit.IsCompleted && !await isSo()) Assert.Fail($"It ended before {what}. It said: {All}");
            if (Stopwatch.GetElapsedTime(start) > Patience) Assert.Fail($"Waited for: {what}. It said: {All}");
            await Task.Delay(Look);
        }
    }

    /// <summary>Waits for a line of its output.</summary>
    public async Task<string> LineAsync(Func<string, bool> isIt)
    {
        await UntilAsync(() => Lines.Any(isIt), "the line");
        return Lines.First(isIt);
    }

    /// <summary>Waits for an object of a type in its output.</summary>
    public async Task<JsonElement> ItemAsync(string type) =>
        Parse(await LineAsync(line => line.StartsWith($"{{\"type\":\"{type}\"", StringComparison.Ordinal)));

    /// <summary>Reads a line of JSON.</summary>
    public static JsonElement Parse(string line) => JsonDocument.Parse(line).RootElement;

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _process.DisposeAsync();

    private static string[] Place(string[] arguments)
    {
        int option = Array.IndexOf(arguments, "-c");
        return option >= 0 && Ports.TryGetValue(arguments[option + 1], out string? port)
            ? [.. arguments, "--port", port] : arguments;
    }
}
