using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// How long a ring's leader may be silent before somebody else takes the lead: four rounds, as long as they are seen to take, and never less than
/// <see cref="RecoverySettings.TakeoverPatience"/>. Before a round has come to an end nobody knows how long one takes, and whoever takes the lead
/// begins it anew: so the patience doubles with each leader that did not finish.
/// </summary>
internal sealed class LeaderTimeout(RecoverySettings settings, RecoveryCounters counters)
{
    private const int MaxDoublings = 5;

    private Instant _roundSeenAt;
    private TimeSpan _interval;
    private int _restarts;

    /// <summary>The patience of the member that comes first in line.</summary>
    public TimeSpan OfFirst
    {
        get
        {
            long rounds = 4 * Math.Max(counters.TokenRoundTrip.Ticks, _interval.Ticks);
            return (TimeSpan.FromTicks(Math.Max(settings.TakeoverPatience.Ticks, rounds)) + settings.LongestTokenInterval) * (1 << _restarts);
        }
    }

    /// <summary>A token of a new round has come from the same leader.</summary>
    /// <param name="watched">False when nobody watched since the round before: then everything was stable meanwhile, and the
    /// time between says nothing.</param>
    /// <param name="now">The present instant.</param>
    public void OnNextRound(bool watched, Instant now)
    {
        _restarts = 0;
        if (watched && _roundSeenAt != Instant.Zero) _interval = TimeSpan.FromTicks(((_interval.Ticks * 3) + (now - _roundSeenAt).Ticks) / 4);
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

    /// <summary>Somebody is gone who may have been what rounds failed at.</summary>
    public void OnRemoval() => _restarts = 0;

    /// <summary>This member has led a round to its end.</summary>
    public void OnFinished() => _restarts = 0;
}
