using System.Diagnostics;

namespace QuickSilver.Testing.Runs.Shrinking;

/// <summary>
/// Cuts a failing run down while it goes on breaking the same promise. Lists are reduced by delta debugging (Zeller and
/// Hildebrandt, 2002): parts of half the list are left out, then of a quarter, down to single entries; then single
/// values are made simpler. Decisions of a run are hashes of what they are about, not of a sequence, so what is left
/// fares as it did before; that is what makes this work. Cost: one run for each attempt, most of them shorter than the
/// first, within a budget of real time.
/// </summary>
/// <remarks>Single threaded; the runs are executed by the caller's function.</remarks>
internal sealed class Shrinker
{
    private static readonly TimeSpan ShortSettle = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan UsualBudget = TimeSpan.FromSeconds(60);

    private readonly Func<RunSpec, Violation?> _run;
    private readonly TimeSpan _budget;
    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private RunSpec _best;
    private Violation _violation;
    private int _tried;

    private Shrinker(RunSpec spec, Violation violation, Func<RunSpec, Violation?> run, TimeSpan budget)
    {
        _best = spec;
        _violation = violation;
        _run = run;
        _budget = budget;
    }

    private bool IsOver => _watch.Elapsed >= _budget;

    /// <summary>Cuts a run down.</summary>
    /// <param name="spec">A run that breaks a promise.</param>
    /// <param name="run">Executes a run; null when it kept all promises. It must be deterministic.</param>
    /// <param name="budget">Real time after which the best so far is returned; null: a minute.</param>
    /// <exception cref="ArgumentException">The run breaks no promise.</exception>
    public static ShrinkResult Shrink(RunSpec spec, Func<RunSpec, Violation?> run, TimeSpan? budget = null)
    {
        ArgumentNullException.ThrowIfNull(spec);
        ArgumentNullException.ThrowIfNull(run);
        Violation violation = run(spec)
            ?? throw new ArgumentException("the run breaks no promise: there is nothing to shrink", nameof(spec));
        var shrinker = new Shrinker(spec, violation, run, budget ?? UsualBudget);
        shrinker.ShrinkAll();
        return new ShrinkResult(shrinker._best, shrinker._violation, shrinker._tried, shrinker._watch.Elapsed);
    }

    private void ShrinkAll()
    {
        // What never comes need not be waited for as long each time; in the end it is.
        TimeSpan patience = _best.SettleLimit;
        if (patience > ShortSettle) Try(_best with { SettleLimit = ShortSettle });
        Try(Reductions.CutAfter(_best, _violation.At));
        bool smaller = true;
        while (smaller && !IsOver)
        {
            (int, int, int, int, int) before = Size();
            ReduceList(spec => spec.Faults.Count, Reductions.WithoutFaults);
            ReduceList(spec => spec.Actions.Count, Reductions.WithoutActions);
            ReduceNodes();
            ReduceList(spec => spec.Plans.Count, Reductions.WithoutPlans);
            TryEach(Reductions.SimplerOptions);
            TryEach(Reductions.SimplerEntries);
            Try(Reductions.CutAfter(_best, _violation.At));
            smaller = Size() != before;
        }
        if (_best.SettleLimit != patience) Try(_best with { SettleLimit = patience });
    }

    private (int Faults, int Actions, int Plans, int Messages, int Nodes) Size() => (
        _best.Faults.Count,
        _best.Actions.Count,
        _best.Plans.Count,
        _best.Plans.Sum(plan => plan.Count),
        _best.Options.Nodes - _best.Options.Absent.Count);

    private void ReduceList(Func<RunSpec, int> count, Func<RunSpec, int, int, RunSpec> without)
    {
        for (int part = count(_best); part >= 1; part /= 2)
        {
            int at = 0;
            while (at < count(_best))
            {
                if (IsOver) return;
                int length = Math.Min(part, count(_best) - at);
                if (!Try(without(_best, at, length))) at += length;
            }
        }
    }

    private void ReduceNodes()
    {
        int[] present = Reductions.Present(_best);
        for (int part = present.Length / 2; part >= 1; part /= 2)
        {
            int at = 0;
            while (at < present.Length && !IsOver)
            {
                int[] leave = present[at..Math.Min(at + part, present.Length)];
                if (leave.Length < present.Length && Try(Reductions.WithoutNodes(_best, leave)))
                    present = Reductions.Present(_best);
                else at += part;
            }
        }
    }

    private void TryEach(Func<RunSpec, IEnumerable<RunSpec>> simpler)
    {
        bool found = true;
        while (found && !IsOver)
        {
            found = false;
            foreach (RunSpec candidate in simpler(_best))
            {
                if (IsOver) return;
                if (!Try(candidate)) continue;
                found = true;
                break;
            }
        }
    }

    private bool Try(RunSpec candidate)
    {
        if (ReferenceEquals(candidate, _best)) return false;
        _tried++;
        if (_run(candidate) is not { } violation || violation.Invariant != _violation.Invariant) return false;
        _best = candidate;
        _violation = violation;
        return true;
    }
}
