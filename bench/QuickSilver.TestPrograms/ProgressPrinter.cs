using System.Globalization;
using System.Text.Json;

namespace QuickSilver.TestPrograms;

/// <summary>
/// Says how far a program is: a line a second to be read, ten JSON lines a second for programs, nothing else while
/// messages are printed one by one.
/// </summary>
internal sealed class ProgressPrinter : IAsyncDisposable
{
    private readonly OutputKind _output;
    private readonly Func<long> _count;
    private readonly Func<string> _details;
    private readonly PeriodicTimer _timer;
    private readonly Task _loop;
    private volatile string _phase;

    /// <summary>Starts at once.</summary>
    /// <param name="output">What is wanted.</param>
    /// <param name="phase">The first phase.</param>
    /// <param name="count">Messages so far.</param>
    /// <param name="details">More in words, after the count.</param>
    public ProgressPrinter(OutputKind output, string phase, Func<long> count, Func<string> details)
    {
        _output = output;
        _phase = phase;
        _count = count;
        _details = details;
        _timer = new PeriodicTimer(TimeSpan.FromMilliseconds(output == OutputKind.Json ? 100 : 1000));
        _loop = output == OutputKind.Full ? Task.CompletedTask : RunAsync();
        if (output == OutputKind.Json) PrintJson();
    }

    /// <summary>Goes on to another phase.</summary>
    public void Enter(string phase)
    {
        _phase = phase;
        if (_output == OutputKind.Json) PrintJson();
    }

    /// <summary>Stops, after a last line.</summary>
    public async ValueTask DisposeAsync()
    {
        _timer.Dispose();
        await _loop;
        if (_output == OutputKind.Json) PrintJson();
    }

    private async Task RunAsync()
    {
        long before = 0;
        while (await _timer.WaitForNextTickAsync())
        {
            if (_output == OutputKind.Json)
            {
                PrintJson();
                continue;
            }
            long count = _count();
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{_phase}: {count:N0} messages, {count - before:N0} in the last second{_details()}"));
            before = count;
        }
    }

    private void PrintJson() =>
        Console.WriteLine(
            JsonSerializer.Serialize(new ProgressReport(_phase, _count()), ProgressJson.Default.ProgressReport));
}
