using System.Text.Json;
using QuickSilver.Samples;
using QuickSilver.Samples.Processes;

namespace QuickSilver.Tests.Processes;

/// <summary>One Publisher or Subscriber, running.</summary>
internal sealed class ProgramRun : IAsyncDisposable
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);

    private readonly TaskCompletionSource _joined = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _reportPath;
    private readonly ChildProcess _process;

    public ProgramRun(string program, string name, string reportPath, IEnumerable<string> arguments)
    {
        _reportPath = reportPath;
        _process = ChildProcess.Start(name, Path.Combine(AppContext.BaseDirectory, program + ".dll"), arguments, OnLine);
    }

    public string Name => _process.Name;

    /// <summary>Waits until the program is in its groups.</summary>
    public async Task WaitUntilJoinedAsync()
    {
        Task first = await Task.WhenAny(_joined.Task, _process.Exit, Task.Delay(StartLimit, TestContext.Current.CancellationToken));
        if (first != _joined.Task) Assert.Fail($"{Name} did not join its groups: {_process.LastLines}");
    }

    /// <summary>Waits until the program ends, which it does by itself at its time-out at the latest, and reads its report.</summary>
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
            if (JsonSerializer.Deserialize(line, ProgressJson.Default.ProgressReport) is not null) _joined.TrySetResult();
        }
        catch (JsonException)
        {
            // Something else; it is shown if the program fails.
        }
    }
}
