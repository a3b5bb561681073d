using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Says that the server holds back, and for which members: to people every five seconds, to nodes at once, with every change, and when they register.
/// A reason that no longer holds is taken back. Core thread only.
/// </summary>
internal sealed class ServerHold
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(5);

    private readonly ServerParts _parts;
    private readonly SortedDictionary<HoldReason, Func<MembershipHold>> _reasons = [];
    private readonly FrameBuilder _frame = new();
    private readonly Alarm _alarm;

    /// <summary>Makes one that holds nothing back.</summary>
    public ServerHold(ServerParts parts)
    {
        _parts = parts;
        _alarm = new Alarm(parts.Alarms, Say);
    }

    /// <summary>What was said last.</summary>
    public MembershipHold Current { get; private set; } = MembershipHold.None;

    /// <summary>The server begins to hold back, or what it holds back for has changed.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="describe">Who is missing, at the time of the call.</param>
    /// <param name="now">The present instant.</param>
    public void Begin(HoldReason reason, Func<MembershipHold> describe, Instant now)
    {
        bool isNew = _reasons.TryAdd(reason, describe);
        if (isNew) _parts.Settings.Probes.Hit(reason == HoldReason.Sight ? Mark.SightLost : Mark.MajorityAwaited);
        if (isNew || _reasons.First().Value().Missing != Current.Missing) Say(now);
    }

    /// <summary>The server does not hold back for this reason.</summary>
    public void End(HoldReason reason, Instant now)
    {
        if (_reasons.Remove(reason)) Say(now);
    }

    /// <summary>A node has been welcomed: it is told, if there is something to tell.</summary>
    public void Tell(long connection)
    {
        if (Current.Reason == HoldReason.None) return;
        HoldFrame.Write(_frame, Current);
        _parts.Connections.Send(connection, _frame.Span);
    }

    /// <summary>Cancels the timer.</summary>
    public void Stop() => _alarm.Cancel();

    private void Say(Instant now)
    {
        Current = _reasons.Count > 0 ? _reasons.First().Value() : MembershipHold.None;
        _parts.Settings.Events?.OnHold(_parts.Settings.ClusterName, Current, now);
        HoldFrame.Write(_frame, Current);
        foreach (ServerNode node in _parts.Nodes.Live)
        {
            if (node.Connection is { } connection) _parts.Connections.Send(connection, _frame.Span);
        }
        if (_reasons.Count > 0) _alarm.Set(now + Interval);
        else _alarm.Cancel();
    }
}
