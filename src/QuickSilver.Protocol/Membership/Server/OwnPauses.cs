using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Finds the pauses of the server itself. Its process may be stopped, or get no processor. Nothing is read meanwhile,
/// so such a time is no silence of nodes, and no time-out of theirs. All clocks of the server leave it out.
/// <para>
/// Idea: an alarm is due four times a second. The first call that comes more than half a second after it, of whatever
/// kind, finds a pause of that length. Frames may be read before or after late alarms, so each of them asks first.
/// </para>
/// Cost: four alarms a second while nodes are registered; a comparison a frame. Core thread only.
/// </summary>
internal sealed class OwnPauses
{
    // The interval of the alarm that measures the pauses of the server.
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(250);
    // How late that alarm is at least when the server has paused.
    private static readonly TimeSpan Late = TimeSpan.FromMilliseconds(500);

    private readonly NodeTable _nodes;
    private readonly Alarm _alarm;
    private readonly List<Action<TimeSpan, Instant>> _listeners = [];
    private Instant _due = Instant.Never;

    /// <summary>Begins without a pause.</summary>
    /// <param name="alarms">Fires the alarm.</param>
    /// <param name="nodes">Tells whether nodes are registered.</param>
    public OwnPauses(AlarmQueue alarms, NodeTable nodes)
    {
        _nodes = nodes;
        _alarm = new Alarm(alarms, OnAlarm);
    }

    /// <summary>Adds a part to tell of each pause: its length, and the present time.</summary>
    public void Tell(Action<TimeSpan, Instant> listener) => _listeners.Add(listener);

    /// <summary>Begins to look, unless that has begun.</summary>
    public void Begin(Instant now)
    {
        if (_due == Instant.Never) Set(now);
    }

    /// <summary>Looks whether a pause has just ended. Called before the server judges any time.</summary>
    public void Look(Instant now)
    {
        if (_due == Instant.Never || now - _due <= Late) return;
        TimeSpan pause = now - _due;
        Set(now);
        foreach (Action<TimeSpan, Instant> listener in _listeners) listener(pause, now);
    }

    /// <summary>Cancels the timer.</summary>
    public void Stop()
    {
        _alarm.Cancel();
        _due = Instant.Never;
    }

    private void OnAlarm(Instant now)
    {
        Look(now);
        if (_nodes.Live.Count > 0) Set(now);
        else _due = Instant.Never;
    }

    private void Set(Instant now)
    {
        _due = now + Interval;
        _alarm.Set(_due);
    }
}
