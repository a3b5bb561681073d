using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// The time for which a ring's leader may be silent before another member takes the lead. It is four rounds of the
/// usual length, and never less than <see cref="RecoverySettings.TakeoverPatience"/>. Before a round has ended its
/// length is unknown, and each new leader starts it again. So the time doubles with each leader that did not finish.
/// </summary>
internal sealed class LeaderTimeout(RecoverySettings settings, RecoveryCounters counters)
{
    private const int MaxDoublings = 5;

    private Instant _roundSeenAt;
    private TimeSpan _interval;
    private int _restarts;

    /// <summary>The waiting time of the member that is first in line.</summary>
    public TimeSpan OfFirst
    {
        get
        {
            long rounds = 4 * Math.Max(counters.TokenRoundTrip.Ticks, _interval.Ticks);
            TimeSpan patience = TimeSpan.FromTicks(Math.Max(settings.TakeoverPatience.Ticks, rounds));
            return (patience + settings.LongestTokenInterval) * (1 << _restarts);
        }
    }

    /// <summary>A token of a new round has come from the same leader.</summary>
    /// <param name="watched">False when this member was not waiting since the round before. Then everything was stable
    /// meanwhile, and the time between is not measured.</param>
    /// <param name="now">The time of arrival.</param>
    public void OnNextRound(bool watched, Instant now)
    {
        _restarts = 0;
        TimeSpan since = now - _roundSeenAt;
        if (watched && _roundSeenAt != Instant.Zero)
            _interval = TimeSpan.FromTicks(((_interval.Ticks * 3) + since.Ticks) / 4);
        _roundSeenAt = now;
    }

    /// <summary>A token of another leader, or of another epoch of the same one, has come.</summary>
    public void OnNewLeader(Instant now)
    {
        OnUnfinished();
        _roundSeenAt = now;
    }

    /// <summary>A leader did not finish its round.</summary>
    public void OnUnfinished()
    {
        if (_restarts < MaxDoublings) _restarts++;
    }

    /// <summary>A member is removed that may have caused rounds to fail.</summary>
    public void OnRemoval() => _restarts = 0;

    /// <summary>This member has led a round to its end.</summary>
    public void OnFinished() => _restarts = 0;
}
