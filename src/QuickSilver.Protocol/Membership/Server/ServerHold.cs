using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Reports that the server holds, and the members it waits for. Operators get an event every five seconds. Nodes get a
/// frame at once, with every change, and when they register. The end of a hold is reported too. Core thread only.
/// </summary>
internal sealed class ServerHold
{
    // The pause between two events that say who is waited for.
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(5);

    private readonly ServerParts _parts;
    private readonly SortedDictionary<HoldReason, Func<MembershipHold>> _reasons = [];
    private readonly FrameBuilder _frame = new();
    private readonly Alarm _alarm;

    /// <summary>Begins without a hold.</summary>
    public ServerHold(ServerParts parts)
    {
        _parts = parts;
        _alarm = new Alarm(parts.Alarms, Report);
    }

    /// <summary>The last reported hold.</summary>
    public MembershipHold Current { get; private set; } = MembershipHold.None;

    /// <summary>Begins a hold, or reports that its members have changed.</summary>
    /// <param name="reason">The reason for the hold.</param>
    /// <param name="describe">Describes the hold at the time of the call.</param>
    /// <param name="now">The time of the event.</param>
    public void Begin(HoldReason reason, Func<MembershipHold> describe, Instant now)
    {
        Debug.Assert(reason != HoldReason.None, "a hold has a reason");
        bool isNew = _reasons.TryAdd(reason, describe);
        if (isNew) _parts.Settings.Probes.Reached(
            reason == HoldReason.Sight
                ? "a server loses sight of more than half of its members at once"
                : "a server that takes over waits for a majority");
        if (isNew || _reasons.First().Value().Missing != Current.Missing) Report(now);
    }

    /// <summary>Ends the hold for a reason.</summary>
    public void End(HoldReason reason, Instant now)
    {
        if (_reasons.Remove(reason)) Report(now);
    }

    /// <summary>A node has been welcomed: the hold is reported to it, if there is one.</summary>
    public void ReportTo(long connection)
    {
        if (Current.Reason == HoldReason.None) return;
        HoldFrame.Write(_frame, Current);
        _parts.Connections.Send(connection, _frame.Span);
    }

    /// <summary>Cancels the timer.</summary>
    public void Stop() => _alarm.Cancel();

    private void Report(Instant now)
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
