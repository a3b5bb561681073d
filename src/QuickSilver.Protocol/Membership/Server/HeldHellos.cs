using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Registrations that wait: a process registers from the address of a node whose connection still stands. It is
/// admitted when that connection has ended, or the node was silent for two heartbeats. It is refused when the node is
/// heard again. One of another identity waits for the node's removal. A connection that waits has no registered node,
/// so it lasts ten seconds at most. Core thread only.
/// </summary>
internal sealed class HeldHellos
{
    // The pause before registrations that wait are judged again.
    private static readonly TimeSpan LookAgain = TimeSpan.FromMilliseconds(100);

    private readonly ServerParts _parts;
    private readonly QuorumLossGuard _sight;
    private readonly Action<long, HelloFrame, Instant> _judge;
    private readonly List<(long Connection, HelloFrame Hello, Instant Since)> _held = [];
    private readonly Alarm _alarm;

    /// <summary>Begins with no registration that waits.</summary>
    /// <param name="parts">The server's state.</param>
    /// <param name="sight">Knows which nodes are silent.</param>
    /// <param name="judge">Decides about a registration again.</param>
    public HeldHellos(ServerParts parts, QuorumLossGuard sight, Action<long, HelloFrame, Instant> judge)
    {
        _parts = parts;
        _sight = sight;
        _judge = judge;
        _alarm = new Alarm(parts.Alarms, LookAt);
    }

    /// <summary>
    /// True when another process may take a node's place: the node has no connection, or is silent. A process of
    /// another identity may not.
    /// </summary>
    public bool MayReplace(ServerNode node, string identity, Instant now) =>
        node.Identity == identity && (node.Connection is null || _sight.IsSilent(node, now));

    /// <summary>Holds a registration until it is known whether the node at its address is alive.</summary>
    public void Hold(long connection, HelloFrame hello, Instant now)
    {
        _held.Add((connection, hello, now));
        if (!_alarm.IsSet) _alarm.Set(now + LookAgain);
    }

    /// <summary>Cancels the timer.</summary>
    public void Stop() => _alarm.Cancel();

    private void LookAt(Instant now)
    {
        _parts.Pauses.Look(now);
        (long Connection, HelloFrame Hello, Instant Since)[] held = [.. _held];
        _held.Clear();
        foreach ((long connection, HelloFrame hello, Instant since) in held)
        {
            if (!_parts.Connections.TryFind(connection, out ServerNode? node) || node is not null) continue;
            ServerNode? known = _parts.Nodes.Find(hello.Control);
            string identity = _parts.Connections.IdentityOf(connection);
            if (known is null || MayReplace(known, identity, now)) _judge(connection, hello, now);
            // The last frames of a dead process may arrive after its successor's registration.
            else if (known.LastHeard > since + _parts.Settings.HeartbeatInterval)
                _parts.Connections.Refuse(connection, MembershipRefusal.Replaced);
            else _held.Add((connection, hello, since));
        }
        if (_held.Count > 0) _alarm.Set(now + LookAgain);
    }
}
