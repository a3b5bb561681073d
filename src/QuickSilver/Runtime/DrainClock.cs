using System.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>
/// The time that disposes of a node may wait for members to confirm what was sent. It is one for all of them, so many
/// handles that are disposed of one after the other, while a member is silent, take about as long as one.
/// <para>
/// Idea: time runs off while a dispose waits, however many do, and comes back as fast while none does. A dispose that
/// finds nothing left still has a moment for members that answer.
/// </para>
/// Any thread.
/// </summary>
internal sealed class DrainClock
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(100);

    private readonly Lock _lock = new();
    private readonly TimeSpan _full;
    private readonly IClock _clock;
    private TimeSpan _left;
    private Instant _since;
    private int _waiting;

    /// <summary>Creates a clock that has not run.</summary>
    /// <param name="full">The time of the first dispose.</param>
    /// <param name="clock">The node's clock.</param>
    public DrainClock(TimeSpan full, IClock clock)
    {
        _full = full;
        _clock = clock;
        _left = full;
        _since = clock.Now;
    }

    /// <summary>Waits for the end of a drain, at most for what is left of the time.</summary>
    /// <param name="drained">Completes when the drain has ended; its outcome is not looked at.</param>
    /// <returns>False if the time was up first.</returns>
    public async Task<bool> WaitAsync(Task drained)
    {
        TimeSpan left = Begin();
        try
        {
            await drained.WaitAsync(left).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        finally
        {
            End();
        }
        return drained.IsCompleted;
    }

    /// <summary>Begins a wait; <see cref="End"/> must follow.</summary>
    /// <returns>How long it may last.</returns>
    internal TimeSpan Begin()
    {
        lock (_lock)
        {
            Settle();
            _waiting++;
            TimeSpan least = _full < Moment ? _full : Moment;
            return _left > least ? _left : least;
        }
    }

    /// <summary>Ends a wait.</summary>
    internal void End()
    {
        lock (_lock)
        {
            Settle();
            _waiting--;
            Debug.Assert(_waiting >= 0, "More waits have ended than begun.");
        }
    }

    private void Settle()
    {
        Instant now = _clock.Now;
        TimeSpan passed = now - _since;
        _since = now;
        TimeSpan left = _waiting > 0 ? _left - passed : _left + passed;
        _left = left < TimeSpan.Zero ? TimeSpan.Zero : left > _full ? _full : left;
    }
}
