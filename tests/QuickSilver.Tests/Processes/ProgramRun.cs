using System.Text.Json;
using QuickSilver.Bench.Processes;
using QuickSilver.TestPrograms;

namespace QuickSilver.Tests.Processes;

/// <summary>One test program, running.</summary>
internal sealed class ProgramRun : IAsyncDisposable
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);

    private readonly TaskCompletionSource _joined = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _reportPath;
    private readonly ChildProcess _process;

    public ProgramRun(string verb, string name, string reportPath, IEnumerable<string> arguments)
    {
        _reportPath = reportPath;
        _process = Start(verb, name, arguments, OnLine);
    }

    /// <summary>Starts a test program: "publish" or "subscribe".</summary>
    public static ChildProcess Start(
        string verb, string name, IEnumerable<string> arguments, Action<string>? onLine = null,
        IReadOnlyDictionary<string, string>? environment = null) =>
        ChildProcess.Start(
            name, Path.Combine(AppContext.BaseDirectory, "QuickSilver.TestPrograms.dll"), [verb, .. arguments], onLine,
            environment);

    public string Name => _process.Name;

    /// <summary>Waits until the program is in its groups.</summary>
    public async Task WaitUntilJoinedAsync()
    {
        Task first = await Task.WhenAny(
            _joined.Task, _process.Exit, Task.Delay(StartLimit, TestContext.Current.CancellationToken));
        if (first != _joined.Task) Assert.Fail($"{Name} did not join its groups: {_process.LastLines}");
    }

    /// <summary>Waits until the program ends, which it does by itself at its time-out at the latest, and reads its
    /// report.</summary>
    public async Task<ProgramReport> FinishAsync()
    {
        int code = await _process.Exit.WaitAsync(TestContext.Current.CancellationToken);
        if (code != ExitCodes.Success)
        {
            string report = File.Exists(_reportPath) ? await File.ReadAllTextAsync(_reportPath) : "";
            Assert.Fail($"{Name} ended with {code}: {_process.LastLines}{Environment.NewLine}{report}");
        }
        return ReportJson.Read(_reportPath);
    }

    public ValueTask DisposeAsync() => _process.DisposeAsync();

    private void OnLine(string line)
    {
        try
        {
            if (JsonSerializer.Deserialize(line, ProgressJson.Default.ProgressReport) is not null)
                _joined.TrySetResult();
        }
        catch (JsonException)
        {
            // Something else; it is shown if the program fails.
        }
    }
}
