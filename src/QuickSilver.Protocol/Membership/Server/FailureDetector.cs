using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The failure detector of the membership channel. A node is taken out when nothing has come from it for the failure timeout, or when its connection
/// broke and it is not back within the grace. Core thread only.
/// <para>
/// Awkward cases: a server that itself stood still finds everybody silent, so a late judge distrusts itself first and gives all of them their time
/// again. And what reads for the server may stand still while its own thread is punctual: so a node is judged as of the instant up to which all has
/// been read, not as of the present. And a server whose network is down finds all silent that are elsewhere: see <see cref="QuorumLossGuard"/>.
/// </para>
/// </summary>
/// <param name="parts">The server's state.</param>
/// <param name="sight">Knows when it is the server that sees nobody.</param>
/// <param name="remove">Takes a node out.</param>
internal sealed class FailureDetector(ServerParts parts, QuorumLossGuard sight, Action<ServerNode, MembershipRefusal, Instant> remove)
{
    // A heartbeat comes after half of the failure timeout at the latest.
    private const double LongestPause = 0.6;

    private static readonly TimeSpan LateAlarm = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan LookAgain = TimeSpan.FromMilliseconds(100);

    private readonly MembershipServerSettings _settings = parts.Settings;

    /// <summary>Begins to watch a node. Its time begins with <see cref="OnConnected"/>.</summary>
    public void Begin(ServerNode node) => node.Watch = new Alarm(parts.Alarms, now => Check(node, now));

    /// <summary>A node has a connection.</summary>
    public void OnConnected(ServerNode node, Instant now)
    {
        node.ReconnectBy = Instant.Never;
        node.HasEnded = false;
        node.LastHeard = now;
        node.LastHeartbeat = now;
        node.ConfirmedAt = now;
        Set(node);
    }

    /// <summary>Something has come from a node. After a silence it has its whole time again to take what it was sent: it may not have got it.</summary>
    public void OnHeard(ServerNode node, Instant now)
    {
        if (now - node.LastHeard > _settings.FailureTimeout * LongestPause) node.ConfirmedAt = now;
        node.LastHeard = now;
    }

    /// <summary>
    /// A node has said how far it has read. One that goes on saying so, and for the failure timeout has taken none of what it was sent, will install
    /// no step either.
    /// </summary>
    public void OnHeartbeat(ServerNode node, Instant now)
    {
        TimeSpan pause = now - node.LastHeartbeat;
        if (_settings.FailureTimeout <= TimeSpan.Zero || pause <= _settings.FailureTimeout * LongestPause) node.Pace = pause;
        node.LastHeartbeat = now;
        if (node.Log.Confirmed > node.Confirmed || node.Log.Unconfirmed.Count == 0) node.ConfirmedAt = now;
        node.Confirmed = node.Log.Confirmed;
        // Where reading stands still for long, sending may too: the node need not have been sent anything since.
        if (now - parts.KnownTo(now) > _settings.FailureTimeout / 2) node.ConfirmedAt = now;
        if (node.ConfirmedAt == now) return;
        if (_settings.FailureTimeout > TimeSpan.Zero && now - node.ConfirmedAt >= _settings.FailureTimeout)
            remove(node, MembershipRefusal.Unreachable, now);
    }

    /// <summary>A node's connection is gone.</summary>
    /// <param name="node">The node.</param>
    /// <param name="isEnded">The other side has ended it: its machine answers, and its process is gone or does not want it.</param>
    /// <param name="now">The present instant.</param>
    public void OnDisconnected(ServerNode node, bool isEnded, Instant now)
    {
        // One that was not seen before has given the connection up for the same reason as it was not seen.
        node.HasEnded = isEnded && !sight.IsSilent(node, now);
        node.ReconnectBy = now + _settings.ReconnectGrace;
        Set(node);
    }

    /// <summary>A node that was not seen gets its whole time again.</summary>
    public void GiveTime(ServerNode node, Instant now)
    {
        node.LastHeard = now;
        node.ConfirmedAt = now;
        TimeSpan time = _settings.FailureTimeout > _settings.ReconnectGrace ? _settings.FailureTimeout : _settings.ReconnectGrace;
        if (node.ReconnectBy != Instant.Never) node.ReconnectBy = now + time;
        Set(node);
    }

    /// <summary>The first instant at which a node might have to be removed.</summary>
    private Instant DueOf(ServerNode node)
    {
        Instant due = node.ReconnectBy;
        if (_settings.FailureTimeout > TimeSpan.Zero)
        {
            Instant silent = node.LastHeard + sight.LimitOf(node, _settings.FailureTimeout);
            if (silent < due) due = silent;
        }
        return due;
    }

    private void Set(ServerNode node) => Set(node, DueOf(node));

    private static void Set(ServerNode node, Instant due)
    {
        node.WatchDue = due;
        if (due == Instant.Never) node.Watch!.Cancel();
        else node.Watch!.Set(due);
    }

    private void Check(ServerNode node, Instant now)
    {
        if (now - node.WatchDue > LateAlarm)
        {
            _settings.Probes.Hit(Mark.LateJudgeWaited);
            // What the node sent while this process stood still has not been read yet.
            node.LastHeard = now;
            if (node.ReconnectBy != Instant.Never) node.ReconnectBy = now + _settings.ReconnectGrace;
            Set(node);
            return;
        }
        Instant due = DueOf(node);
        if (due > parts.KnownTo(now))
        {
            Set(node, due > now ? due : now + LookAgain);
            return;
        }
        if (!node.HasEnded && sight.IsLost(now))
        {
            Set(node, now + LookAgain);
            return;
        }
        if (!node.HasEnded) sight.OnRemoved(now);
        _settings.Probes.Hit(node.ReconnectBy > due ? Mark.RemovedForSilence : Mark.RemovedForBrokenConnection);
        remove(node, MembershipRefusal.Removed, now);
    }
}
