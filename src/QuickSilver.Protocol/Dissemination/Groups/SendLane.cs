using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// Messages of one or more groups that go the same way, each group's in their order, behind one gate. Core thread only.
/// <para>
/// Messages stay with their source (<see cref="IMessageSource"/>, <see cref="ILaneSource"/>) until they can be sent:
/// while the buffers of all regions of the <see cref="Route"/> have room, and no limit of pending is reached. Then the
/// lane asks for one message, and its group numbers and binds it. Lanes take turns (<see cref="BindingLoop"/>).
/// </para>
/// <para>
/// While a lane goes to one region view, and only lanes of one region send there, it is <em>direct</em>: the packer
/// lets its source write into the packet itself, and binding and packing are one. Otherwise lanes take turns at the
/// buffers.
/// </para>
/// <para>
/// The route is computed at the first message in a step. A lane whose group is this node's in a step that is not yet
/// active waits for the switch.
/// </para>
/// </summary>
internal abstract class SendLane
{
    private readonly SendContext _context;
    private readonly RouteTable _routes;
    private LaneGate _gate = new();
    private Route? _route;
    private ulong _boundIn;
    private ulong _waitsIn;
    private bool _isScheduled;
    private bool _isDirect;

    private protected SendLane(RouteTable routes)
    {
        _routes = routes;
        _context = routes.Context;
    }

    /// <summary>
    /// False while a limit of pending is reached. Changes together with calls of the listener or source.
    /// </summary>
    public bool IsOpen => _gate.IsOpen;

    /// <summary>True when the lane is in no queue of the protocol.</summary>
    internal bool IsIdle => !_isScheduled && !_isDirect;

    /// <summary>
    /// True when messages or the gate depend on a new route as soon as the active step changes.
    /// </summary>
    internal bool MustRebind => !_gate.HasRoom || !_gate.IsOpen || AnyReady;

    /// <summary>The way of the messages; null while they cannot be bound.</summary>
    internal Route? Route => _boundIn == _context.Generation ? _route : null;

    /// <summary>True when a source wants to be asked.</summary>
    internal abstract bool AnyReady { get; }

    /// <summary>The ways of the node's messages.</summary>
    private protected RouteTable Routes => _routes;

    /// <summary>False when the active step has changed since the route was computed.</summary>
    private protected bool IsCurrent => _boundIn == _context.Generation;

    /// <summary>True while sources may be asked.</summary>
    private protected bool HasRoom => _gate.HasRoom;

    private bool HasWork => !_isDirect && _gate.HasRoom && AnyReady;

    /// <summary>
    /// The group whose message comes next, with the lane's route; null when no message can be bound now.
    /// </summary>
    internal abstract GroupSender? Next(Instant now);

    /// <summary>
    /// Whether the group that is next has two messages of one length in a row; null: that is known only when they are
    /// written.
    /// </summary>
    internal virtual bool? HasAlike => null;

    /// <summary>The groups that the next message goes to besides; valid until the next call of
    /// <see cref="Next"/>.</summary>
    internal virtual IReadOnlyList<GroupSender> Others => [];

    /// <summary>Asks for a message of the group that is next.</summary>
    /// <returns>True when one is in <see cref="OwnMessages.Writer"/>; false when there is none.</returns>
    internal abstract bool TryPull(GroupSender group);

    /// <summary>Binds one message, if it can, and schedules the next.</summary>
    /// <param name="wokenBy">The buffer at which the lane waited until now; null when it did not wait at one.</param>
    /// <param name="now">The present instant.</param>
    internal void BindNext(RegionBuffer? wokenBy, Instant now)
    {
        _isScheduled = false;
        // A lane that cannot be bound is scheduled again by the switch.
        if (Next(now) is not { } group || _isScheduled || TryGoToOutlet() || TryGoDirect()) return;
        if ((_route!.FirstFull() ?? group.FullLine) is { } full)
        {
            WaitAt(full);
            return;
        }
        if (TryPull(group)) group.BindPulled(now);
        if (!HasWork || _isScheduled) return;
        RegionBuffer? line = wokenBy is { IsFull: false } ? wokenBy : _route.FirstWithLine();
        if (line is not null) WaitAt(line);
        else Schedule();
    }

    /// <summary>
    /// The sources have nothing, or shared messages use the stream: the loop schedules the lane again.
    /// </summary>
    internal void OnDirectEnded()
    {
        _isDirect = false;
        if (HasWork) Schedule();
    }

    /// <summary>The stream at which the lane waited has dropped it: the active step has changed.</summary>
    internal void OnDetached() => _isScheduled = false;

    /// <summary>The active step has changed while something of the lane waited.</summary>
    internal void OnSwitched(Instant now)
    {
        if (AnyReady) _context.Settings.Probes.Reached("a lane's sources have messages when the step changes");
        Next(now);
        // Whatever shut the gate was of the step before.
        if (!IsCurrent) ResetGate();
        Schedule();
    }

    /// <summary>One of the limits on the route has changed, or is found shut.</summary>
    internal void OnGate(bool open)
    {
        _gate.OnChanged(open);
        MarkGate();
    }

    /// <summary>Reports whether the lane is open, if that has changed.</summary>
    internal void ReportGate(Instant now)
    {
        if (!_gate.TryConsumeChange()) return;
        bool open = _gate.IsOpen;
        if (open) _context.Settings.Probes.Reached("pending falls to half of its limit");
        if (!open) _context.Counters.GatesShut++;
        else if (HasWork) Schedule();
        OnGateChanged(open, now);
    }

    /// <summary>Forgets the route of a lane that is in no queue.</summary>
    internal void Unbind()
    {
        if (IsIdle) _route = null;
    }

    /// <summary>Reports a change of the gate to the owner of the messages.</summary>
    private protected abstract void OnGateChanged(bool open, Instant now);

    /// <summary>Takes a route in the active step; null: the lane waits for the next step.</summary>
    private protected void Take(Route? route)
    {
        _boundIn = _context.Generation;
        _route = route;
        ResetGate();
        if (route is null)
        {
            WaitForStep();
            return;
        }
        for (int index = 0; index < route.Count; index++) route.StreamAt(index).Gate.Attach(this);
    }

    /// <summary>Has the lane scheduled again when the active step changes.</summary>
    private protected void WaitForStep()
    {
        if (_waitsIn == _context.Generation) return;
        _waitsIn = _context.Generation;
        _context.Settings.Probes.Reached("a message waits for a step that is installed and not yet active");
        _routes.WaitingForStep.Add(this);
    }

    /// <summary>Enters the lane into the loop, unless it is in a queue already.</summary>
    private protected void Schedule()
    {
        if (_isScheduled) return;
        _isScheduled = true;
        _routes.Loop.Schedule(this);
    }

    // A mode's engine asks for the messages itself, when they can be sent.
    private bool TryGoToOutlet()
    {
        if (_route!.Outlet is not { } outlet) return false;
        if (_isDirect || !HasWork) return true;
        _isDirect = true;
        outlet.Add(this);
        return true;
    }

    private bool TryGoDirect()
    {
        if (_isDirect) return true;
        if (!HasWork || _route!.Count != 1) return false;
        StreamMessages stream = _route.StreamAt(0);
        if (!stream.HasOthers || !stream.Backlog.IsLeftToSources) return false;
        if (_context.Settings.Probes.Here(BuggifySite.SourceKeptFromPackets)) return false;
        _isDirect = true;
        stream.AddDirect(this);
        return true;
    }

    private void WaitAt(RegionBuffer buffer)
    {
        _context.Settings.Probes.Reached("a lane waits at a full region buffer");
        _isScheduled = true;
        buffer.Waiters.Enqueue(this);
    }

    private void ResetGate()
    {
        _gate.Reset();
        MarkGate();
    }

    private void MarkGate()
    {
        if (_gate.TryMark()) _routes.Loop.MarkGate(this);
    }
}
