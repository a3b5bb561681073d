using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The time that a server without a cluster leaves for survivors of another, before it makes the first step of a
/// cluster of its own. Core thread only.
/// </summary>
internal sealed class FoundingGrace
{
    private const int GraceForLateness = 4;
    // The pause before it looks again for what is not read yet.
    private static readonly TimeSpan LookForGrace = TimeSpan.FromMilliseconds(10);
    // The longest wait beyond the grace, for what is not read yet.
    private static readonly TimeSpan LongestGrace = TimeSpan.FromSeconds(10);
    // How far the reading of connections is usually behind.
    private static readonly TimeSpan UsualReadLag = TimeSpan.FromMilliseconds(500);
    // How long connections that say nothing may hold up the end.
    private static readonly TimeSpan StrangerGrace = TimeSpan.FromSeconds(3);

    private readonly ServerParts _parts;
    private readonly Func<bool> _isGathering;
    private readonly Alarm _alarm;
    private Instant _end;
    private Instant _due;
    private Instant _limit;

    /// <summary>Makes one that has not begun.</summary>
    /// <param name="parts">The server's state.</param>
    /// <param name="isGathering">True once a survivor has come.</param>
    public FoundingGrace(ServerParts parts, Func<bool> isGathering)
    {
        _parts = parts;
        _isGathering = isGathering;
        _alarm = new Alarm(parts.Alarms, End);
    }

    /// <summary>True once the first node has registered.</summary>
    public bool HasBegun => FoundedAt != Instant.Zero;

    /// <summary>When the first node registered.</summary>
    public Instant FoundedAt { get; private set; }

    /// <summary>The first node has registered: steps wait.</summary>
    public void Begin(Instant now)
    {
        FoundedAt = now;
        if (_parts.Settings.FoundingGrace <= TimeSpan.Zero) return;
        _parts.Pipeline.Hold();
        _end = now + _parts.Settings.FoundingGrace;
        _limit = now + LongestGrace + _parts.Settings.FoundingGrace;
        _due = _end;
        _alarm.Set(_due);
    }

    /// <summary>This process stood still: nothing could come.</summary>
    public void OnPaused(TimeSpan pause)
    {
        _end += pause;
        _due += pause;
        _limit += pause;
    }

    /// <summary>Cancels the timer.</summary>
    public void Cancel() => _alarm.Cancel();

    // The grace ends when all that arrived within it is read, and nobody is still registering. Connections that say
    // nothing may be a stranger's, so they hold it up for a short time. A late alarm shows that processes here get
    // little time: survivors are as late, and are given several times that.
    private void End(Instant now)
    {
        _parts.Pauses.Look(now);
        if (_isGathering()) return;
        TimeSpan late = now - _due;
        if (late > _parts.Settings.FoundingGrace) _end = now + (late * GraceForLateness);
        bool isNew = now < FoundedAt + StrangerGrace;
        Instant known = _parts.KnownTo(now);
        bool isUnread = known < _end && now - known > UsualReadLag;
        bool waits = now < _end || isUnread || (isNew && _parts.Connections.HasStrangers);
        if (waits && now < _limit)
        {
            _parts.Settings.Probes.Reached("a founding waits for what is not read yet");
            _due = now + LookForGrace;
            _alarm.Set(_due);
            return;
        }
        _parts.Pipeline.Release(now);
    }
}
