using System.Collections.Concurrent;
using System.Diagnostics;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Testing.Runs;

/// <summary>
/// Runs many seeds, on several threads, and adds up what came of them. One in twenty is run twice, and must give the
/// same trace both times; of one in twenty the log is kept, and read again by another checker. Runs that break a
/// promise are saved. Each run lives on one thread; nothing is shared but the sums.
/// </summary>
internal sealed class Ensemble
{
    private const ulong TwiceEvery = 20;
    private const ulong LogEvery = 20;

    /// <summary>What the generator may draw.</summary>
    public GeneratorOptions Bounds { get; init; } = new();

    /// <summary>Kinds of trouble of which a run must have one; none: all runs are executed.</summary>
    public IReadOnlyList<FaultKind> With { get; init; } = [];

    /// <summary>Threads.</summary>
    public int Threads { get; init; } = Environment.ProcessorCount;

    /// <summary>Real time after which no further seed is begun; infinite: all are run.</summary>
    public TimeSpan Limit { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>Where failing runs are saved; null: <see cref="RunFiles.Folder"/>.</summary>
    public string? Folder { get; init; }

    /// <summary>Told of each run that broke a promise, on the thread of the run.</summary>
    public Action<string>? Failed { get; init; }

    /// <summary>Executes seeds.</summary>
    /// <param name="first">The first.</param>
    /// <param name="count">How many.</param>
    public EnsembleReport Run(ulong first, ulong count)
    {
        var report = new EnsembleReport { First = first };
        var watch = Stopwatch.StartNew();
        ulong next = 0;
        var threads = new List<Thread>();
        var crashes = new ConcurrentQueue<Exception>();
        for (int thread = 0; thread < Threads; thread++)
        {
            threads.Add(new Thread(() =>
            {
                try
                {
                    while (Limit == Timeout.InfiniteTimeSpan || watch.Elapsed < Limit)
                    {
                        ulong index = Interlocked.Increment(ref next) - 1;
                        if (index >= count) return;
                        RunSeed(first + index, report);
                    }
                }
                catch (Exception exception)
                {
                    crashes.Enqueue(exception);
                }
            }));
            threads[^1].Start();
        }
        foreach (Thread thread in threads) thread.Join();
        if (!crashes.IsEmpty) throw new AggregateException(crashes);
        report.Took = watch.Elapsed;
        return report;
    }

    private void RunSeed(ulong seed, EnsembleReport report)
    {
        RunSpec spec = RunGenerator.Generate(seed, Bounds);
        if (With.Count > 0 && !With.Any(kind => spec.Traits.Contains(kind.ToString()))) return;
        if (seed % LogEvery == LogEvery / 2) spec = spec with { Options = spec.Options with { KeepsLog = true } };
        var watch = Stopwatch.StartNew();
        RunResult result = RunExecution.Execute(spec);
        report.Add(spec, result, watch.Elapsed);
        if (result.Violation is { } violation)
        {
            string path = RunFiles.Save(spec, result, Folder);
            Report(report, seed, $"{violation.Message} Replay: {RunFiles.ReplayCommand(path)}");
        }
        if (seed % TwiceEvery != 0) return;
        RunResult again = RunExecution.Execute(spec);
        report.AddTwice();
        if (Parting(result, again) is { } parting)
            Report(report, seed, $"seed {seed} run twice gives two traces: {parting}");
    }

    private void Report(EnsembleReport report, ulong seed, string failure)
    {
        report.AddFailure(seed, failure);
        Failed?.Invoke(failure);
    }

    private static string? Parting(RunResult one, RunResult other)
    {
        if (one.Trace == other.Trace && one.Events == other.Events) return null;
        int same = one.Checkpoints.Zip(other.Checkpoints).TakeWhile(pair => pair.First == pair.Second).Count();
        return $"{one.Trace:x16} after {one.Events} events, {other.Trace:x16} after {other.Events}; equal up to "
            + $"checkpoint {same}";
    }
}
