using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The failure detector of the membership channel. A node is removed when nothing has come from it for the failure
/// timeout. It is also removed when its connection broke and it did not return within the grace period. Core thread
/// only.
/// <para>
/// Awkward cases: a server that itself paused finds all nodes silent. So its own pauses count for nobody
/// (<see cref="OwnPauses"/>), and nodes without a connection get the whole grace again. The server's readers may pause
/// while its own thread is punctual. So a node is judged by the time up to which all input has been read, not by the
/// present. A server whose network is down finds all remote nodes silent: see <see cref="QuorumLossGuard"/>.
/// </para>
/// </summary>
/// <param name="parts">The server's state.</param>
/// <param name="sight">Detects that the server itself is cut off.</param>
/// <param name="remove">Removes a node.</param>
internal sealed class FailureDetector(
    ServerParts parts,
    QuorumLossGuard sight,
    Action<ServerNode, MembershipRefusal, Instant> remove)
{
    // Heartbeats are at most half of the failure timeout apart.
    private const double LongestPause = 0.6;

    // The pause before a node is judged again whose input is not read yet, or that is spared.
    private static readonly TimeSpan LookAgain = TimeSpan.FromMilliseconds(100);

    private readonly MembershipServerSettings _settings = parts.Settings;
    // Until then, what came in a pause of the server may not be read yet.
    private Instant _readBy;

    /// <summary>Begins to watch a node. Its time begins with <see cref="OnConnected"/>.</summary>
    public void Begin(ServerNode node) => node.Watch = new Alarm(parts.Alarms, now => Check(node, now));

    /// <summary>A node has a connection.</summary>
    public void OnConnected(ServerNode node, Instant now)
    {
        Debug.Assert(
            node.Connection is not null && node.Watch is not null, "the node is bound to a connection and watched");
        node.ReconnectBy = Instant.Never;
        node.HasEnded = false;
        node.LastHeard = now;
        node.LastHeartbeat = now;
        node.ConfirmedAt = now;
        Set(node);
        parts.Pauses.Begin(now);
    }

    /// <summary>
    /// A frame has come from a node. After a silence it gets its full time again to confirm frames: they may not have
    /// arrived.
    /// </summary>
    public void OnHeard(ServerNode node, Instant now)
    {
        if (now - node.LastHeard > _settings.FailureTimeout * LongestPause) node.ConfirmedAt = now;
        node.LastHeard = now;
    }

    /// <summary>
    /// A node has reported the frames it has received. A node is removed when its heartbeats continue but it confirms
    /// no frame for the failure timeout: it would install no step either.
    /// </summary>
    public void OnHeartbeat(ServerNode node, Instant now)
    {
        TimeSpan pause = now - node.LastHeartbeat;
        if (_settings.FailureTimeout <= TimeSpan.Zero || pause <= _settings.FailureTimeout * LongestPause)
            node.Pace = pause;
        node.LastHeartbeat = now;
        if (node.Log.Confirmed > node.Confirmed || node.Log.Unconfirmed.Count == 0) node.ConfirmedAt = now;
        node.Confirmed = node.Log.Confirmed;
        // When reading is delayed for long, sending may be too: the node may have been sent nothing since. What came in
        // a pause of the server is older than all that the server has sent since.
        if (now < _readBy || now - parts.KnownTo(now) > _settings.FailureTimeout / 2) node.ConfirmedAt = now;
        if (node.ConfirmedAt == now) return;
        if (_settings.FailureTimeout <= TimeSpan.Zero || now - node.ConfirmedAt < _settings.FailureTimeout) return;
        if (sight.IsLost(now) || !sight.MayRemove(node, now)) return;
        sight.OnRemoved(node, now);
        remove(node, MembershipRefusal.Unconfirmed, now);
    }

    /// <summary>A node's connection is gone.</summary>
    /// <param name="node">The node whose connection is gone.</param>
    /// <param name="isEnded">True when the other side has ended it: its machine answers, and its process is gone or
    /// leaves.</param>
    /// <param name="now">The time of the event.</param>
    public void OnDisconnected(ServerNode node, bool isEnded, Instant now)
    {
        Debug.Assert(node.Connection is null && !node.Info.IsRemoved, "the node has lost its connection");
        // A node that was silent before has given the connection up for the same reason.
        node.HasEnded = isEnded && !sight.IsSilent(node, now);
        node.ReconnectBy = ReconnectBy(now);
        Set(node);
    }

    /// <summary>
    /// A pause of the server has ended: frames that nodes sent meanwhile are not read yet, and the server confirmed
    /// nothing to them. Those without a connection could not return. A server that keeps up reads what came in a pause
    /// in less time than the pause took.
    /// </summary>
    public void OnPaused(TimeSpan pause, Instant now)
    {
        _readBy = now + (pause < LongerLimit ? pause : LongerLimit);
        foreach (ServerNode node in parts.Nodes.Live)
        {
            node.LastHeard = Later(node.LastHeard);
            node.LastHeartbeat = Later(node.LastHeartbeat);
            node.ConfirmedAt = Later(node.ConfirmedAt);
            if (node.ReconnectBy != Instant.Never) node.ReconnectBy = ReconnectBy(now);
            if (node.Watch is not null) Set(node);
            _settings.Probes.Reached("a server that stood still leaves its pause out of all judgements");
        }

        Instant Later(Instant time) => time + pause < now ? time + pause : now;
    }

    /// <summary>Gives a node that was out of sight its full time again.</summary>
    public void GiveTime(ServerNode node, Instant now)
    {
        node.LastHeard = now;
        node.ConfirmedAt = now;
        if (node.ReconnectBy != Instant.Never) node.ReconnectBy = now + LongerLimit;
        Set(node);
    }

    private TimeSpan LongerLimit =>
        _settings.FailureTimeout > _settings.ReconnectGrace ? _settings.FailureTimeout : _settings.ReconnectGrace;

    // The word of a node that has returned may lie behind all that came in a pause.
    private Instant ReconnectBy(Instant now) => (now < _readBy ? _readBy : now) + _settings.ReconnectGrace;

    /// <summary>The earliest time at which a node might have to be removed.</summary>
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
        if (due == Instant.Never) node.Watch!.Cancel();
        else node.Watch!.Set(due);
    }

    private void Check(ServerNode node, Instant now)
    {
        Debug.Assert(!node.Info.IsRemoved, "the alarm of a removed node is cancelled");
        parts.Pauses.Look(now);
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
        if (!node.HasEnded) sight.OnRemoved(node, now);
        _settings.Probes.Reached(
            node.ReconnectBy > due
                ? "a node is removed for silence"
                : "a node is removed since it does not connect again");
        remove(node, MembershipRefusal.Removed, now);
    }
}
