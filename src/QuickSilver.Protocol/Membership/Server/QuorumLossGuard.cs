using System.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Detects that the server itself is cut off. A server with an address of its own may lose sight of more than half of
/// its nodes at once. It is then more likely cut off than they are dead, and they may reach each other well. So it
/// removes no node until it sees half of them again.
/// <para>
/// Evidence: a node is out of sight when nothing has come from it for two heartbeats, or its connection broke and has
/// not returned. A connection that the other side has ended is no loss of sight: the machine answers, and the process
/// is gone. So processes that die together are removed as usual, however many. Machines that lose power together are
/// not removed before they return or the operator declares them gone.
/// </para>
/// <para>
/// Cost: a visit to every node, at most ten times a second, while a node is about to be removed; otherwise nothing.
/// </para>
/// <para>
/// Nodes may fall silent one after the other, so that few are missing at a time. Nodes removed while out of sight count
/// as unseen for a detector period. So do those that a takeover removes since they have not come.
/// </para>
/// <para>
/// Only members count: see <see cref="ServerNode.IsMember"/>. A node that is in no group can neither hide the loss of
/// members nor make it look like one, and its removal takes nothing from them.
/// </para>
/// <para>
/// While survivors of a lost server gather, nobody is removed: the majority that is awaited would be one of fewer.
/// </para>
/// <para>
/// Nor does a step come into use without most members: see <see cref="MustAwait"/>.
/// </para>
/// Core thread only.
/// </summary>
internal sealed class QuorumLossGuard
{
    // The pause before the server looks again whether it sees half of its nodes.
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    private readonly ServerParts _parts;
    private readonly Action<ServerNode, Instant> _giveTime;
    private readonly Func<bool> _isGathering;
    private readonly Alarm _alarm;
    private readonly Queue<Instant> _gone = [];
    private Instant _looked = Instant.Never;
    private bool _isLost;

    /// <summary>Makes a guard to which all nodes are in sight.</summary>
    /// <param name="parts">The server's state.</param>
    /// <param name="giveTime">Gives a node its full time again.</param>
    /// <param name="isGathering">True while survivors of a lost server gather.</param>
    public QuorumLossGuard(ServerParts parts, Action<ServerNode, Instant> giveTime, Func<bool> isGathering)
    {
        _parts = parts;
        _giveTime = giveTime;
        _isGathering = isGathering;
        _alarm = new Alarm(parts.Alarms, LookAt);
    }

    /// <summary>True when nothing has come from a node for two heartbeats.</summary>
    public bool IsSilent(ServerNode node, Instant now)
    {
        return _parts.KnownTo(now) - node.LastHeard >= PaceOf(node) * 2;
    }

    /// <summary>
    /// The silence after which a node may be removed: at least three heartbeats. Nodes that fell silent with it, up to
    /// a heartbeat later, have then been silent for two.
    /// </summary>
    public TimeSpan LimitOf(ServerNode node, TimeSpan failureTimeout)
    {
        TimeSpan least = PaceOf(node) * 3;
        return _parts.Settings.AwaitMajority && failureTimeout < least ? least : failureTimeout;
    }

    private TimeSpan PaceOf(ServerNode node) =>
        _parts.Settings.HeartbeatInterval > node.Pace ? _parts.Settings.HeartbeatInterval : node.Pace;

    /// <summary>True while no node may be removed for being out of sight.</summary>
    public bool IsLost(Instant now)
    {
        if (!_parts.Settings.AwaitMajority) return false;
        if (_isGathering()) return true;
        if (!_isLost && _looked != now) LookAt(now);
        return _isLost;
    }

    /// <summary>
    /// True when one more node may be removed: within a detector period at most as many are removed as remain.
    /// </summary>
    public bool MayRemove(ServerNode node, Instant now)
    {
        ForgetGone(now);
        return !_parts.Settings.AwaitMajority
            || (!_isGathering() && (!node.IsMember || _gone.Count + 1 <= CountMembers() - 1));
    }

    /// <summary>
    /// True when a step must not come into use without those that have not installed it: they are more than half of the
    /// members, or more than half are out of sight. If the server were lost then, the next one would have to remove
    /// them, since they can never get what others sent in that step.
    /// </summary>
    public bool MustAwait(MadeStep made, Instant now)
    {
        if (!_parts.Settings.AwaitMajority || _isGathering()) return false;
        int lacking = _parts.Nodes.Live.Count(node => node.IsMember && made.ToInstall.Contains(node.Slot));
        return lacking * 2 > CountMembers() || IsLost(now);
    }

    /// <summary>A node is removed that was out of sight, or out of reach of others.</summary>
    public void OnRemoved(ServerNode node, Instant now)
    {
        if (node.IsMember) OnMemberGone(now);
    }

    /// <summary>A member is given up that has not come back.</summary>
    public void OnMemberGone(Instant now)
    {
        if (_parts.Settings.AwaitMajority && _parts.Settings.FailureTimeout > TimeSpan.Zero) _gone.Enqueue(now);
    }

    /// <summary>The survivors of a lost server have gathered. Those whose connection broke meanwhile get their full
    /// time.</summary>
    public void OnGathered(Instant now)
    {
        if (_parts.Settings.AwaitMajority) GiveTimeToUnseen(now);
    }

    /// <summary>
    /// True when more than half of the members are out of sight now, whether a removal is due or not.
    /// </summary>
    public bool SeesFew(Instant now) => _parts.Settings.AwaitMajority && (_isLost || SeesFewOf(now));

    /// <summary>Cancels the timer.</summary>
    public void Stop() => _alarm.Cancel();

    private bool IsUnseen(ServerNode node, Instant now) =>
        !node.HasEnded && (node.Connection is null || IsSilent(node, now));

    private void LookAt(Instant now)
    {
        _parts.Pauses.Look(now);
        _looked = now;
        bool isLost = SeesFewOf(now);
        if (isLost)
        {
            _isLost = true;
            _parts.Hold.Begin(HoldReason.Sight, () => Describe(_parts.KnownTo(_looked)), now);
            _alarm.Set(now + Interval);
        }
        else if (_isLost)
        {
            _isLost = false;
            GiveTimeToUnseen(now);
            _parts.Hold.End(HoldReason.Sight, now);
        }
    }

    private void GiveTimeToUnseen(Instant now)
    {
        Debug.Assert(_parts.Settings.AwaitMajority, "only a server that awaits a majority loses sight");
        foreach (ServerNode node in _parts.Nodes.Live)
        {
            if (IsUnseen(node, now)) _giveTime(node, now);
        }
    }

    private bool SeesFewOf(Instant now)
    {
        ForgetGone(now);
        return (CountUnseen(now) + _gone.Count) * 2 > CountMembers() + _gone.Count;
    }

    private void ForgetGone(Instant now)
    {
        while (_gone.TryPeek(out Instant gone) && now - gone > _parts.Settings.FailureTimeout) _gone.Dequeue();
    }

    private int CountUnseen(Instant now)
    {
        int unseen = 0;
        foreach (ServerNode node in _parts.Nodes.Live)
        {
            if (node.IsMember && IsUnseen(node, now)) unseen++;
        }
        return unseen;
    }

    private int CountMembers() => _parts.Nodes.Live.Count(static node => node.IsMember);

    private MembershipHold Describe(Instant now)
    {
        ServerNode[] unseen = [.. _parts.Nodes.Live.Where(node => node.IsMember && IsUnseen(node, now))];
        string[] names = [.. unseen.Take(JoinWait.MaxNames).Select(static node => node.DisplayName)];
        return new MembershipHold(HoldReason.Sight, unseen.Length, CountMembers() - unseen.Length, names);
    }
}
