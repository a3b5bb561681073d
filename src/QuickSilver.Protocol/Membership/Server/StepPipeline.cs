using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Decides when steps are made, and tracks each through notifications, acknowledgements, activation and settlement.
/// <para>
/// Batching adapts. While no step is being installed the first change sets an alarm that is due at once. So all changes
/// of the same turn of the loop go together. While a step is being installed, changes are gathered for twice the time
/// that the previous step took to install, within the settings' window. So a lone join is quick, and many joins make
/// few steps, the fewer the more a step costs.
/// </para>
/// <para>
/// A removal ends the gathering. A step is not made before the previous one is activated: all nodes concerned have
/// installed it, or the time for that is over. A server that awaits a majority does not activate a step without most of
/// its members (<see cref="QuorumLossGuard.MustAwait"/>).
/// </para>
/// <para>
/// A step with joins is settled when all nodes concerned have switched to it or were removed; the joiners are notified.
/// Steps settle independently: a later one may settle first.
/// </para>
/// </summary>
internal sealed class StepPipeline
{
    // The pause before it is judged again whether a step may go on without those that have not installed it.
    private static readonly TimeSpan LookAgain = TimeSpan.FromMilliseconds(100);

    private readonly MembershipServerSettings _settings;
    private readonly NodeTable _nodes;
    private readonly StepMaker _maker;
    private readonly Alarm _makeAlarm;
    private readonly Alarm _installAlarm;
    private readonly Alarm _rotateAlarm;
    private readonly KeyRotation? _rotation;
    private readonly MonitorNotices _monitors;
    private readonly OwnPauses _pauses;
    private readonly FrameBuilder _frame = new();
    private readonly List<MadeStep> _unsettled = [];
    private MadeStep? _installing;
    private TimeSpan _lastInstall;
    private Instant _gatherUntil;
    private Instant _installBy;
    private bool _flush;
    private bool _isHeld;

    /// <summary>Makes a pipeline without steps.</summary>
    public StepPipeline(
        MembershipServerSettings settings,
        AlarmQueue alarms,
        NodeTable nodes,
        StepMaker maker,
        KeyRotation? rotation,
        MonitorNotices monitors,
        OwnPauses pauses)
    {
        _monitors = monitors;
        _pauses = pauses;
        pauses.Tell(OnPaused);
        _rotation = rotation;
        _rotateAlarm = new Alarm(alarms, Rotate);
        _settings = settings;
        _nodes = nodes;
        _maker = maker;
        _makeAlarm = new Alarm(alarms, Make);
        _installAlarm = new Alarm(alarms, OnInstallTimeOver);
    }

    /// <summary>Asked when the time to install a step is over: true when it has to wait all the same.</summary>
    public Func<MadeStep, Instant, bool> MustAwait { get; set; } = static (_, _) => false;

    /// <summary>Counter of the last step made.</summary>
    public ulong Last { get; private set; }

    /// <summary>The step that is being installed; null while there is none.</summary>
    public MadeStep? Installing => _installing;

    /// <summary>Activated steps with joins that some sender has not switched to, oldest first.</summary>
    public IReadOnlyList<MadeStep> Unsettled => _unsettled;

    /// <summary>
    /// A step may have become possible: there is a new change, or the obstacle to a waiting one may be gone.
    /// </summary>
    /// <param name="urgent">True for a removal: gathered changes are not delayed further.</param>
    /// <param name="now">The time of the change.</param>
    public void OnChange(bool urgent, Instant now)
    {
        if (!_maker.HasWork) return;
        if (_installing is not null && _gatherUntil == Instant.Zero)
        {
            _settings.Probes.Reached("a change comes while a step is being installed");
            TimeSpan window = 2 * _lastInstall;
            bool isShort = window < _settings.BatchWindow && !_settings.Probes.Here(BuggifySite.BatchGatheredLong);
            _gatherUntil = now + (isShort ? window : _settings.BatchWindow);
        }
        _flush |= urgent;
        Schedule(now);
    }

    /// <summary>Makes no step until <see cref="Release"/>.</summary>
    public void Hold() => _isHeld = true;

    /// <summary>Makes steps again.</summary>
    public void Release(Instant now)
    {
        _isHeld = false;
        OnChange(true, now);
    }

    /// <summary>A node has installed a step.</summary>
    public void OnInstalled(ServerNode node, ulong step, Instant now)
    {
        Debug.Assert(!node.Info.IsRemoved, "frames of removed nodes are not read");
        Debug.Assert(step <= Last && step == node.Installed, "the node has installed a step that was made");
        if (_installing is { } installing && step >= installing.Step && installing.ToInstall.Remove(node.Slot))
            ActivateIfInstalled(now);
        foreach (MadeStep made in _unsettled)
        {
            // The step may have been activated without this node.
            if (made.Step <= step) made.ToInstall.Remove(node.Slot);
        }
        if (node.WaitingChanges.Count > 0) OnChange(false, now);
    }

    /// <summary>All senders of a node have switched to a step, and so to those before it.</summary>
    public void OnSwitched(ServerNode node, ulong step)
    {
        Debug.Assert(!node.Info.IsRemoved, "frames of removed nodes are not read");
        Debug.Assert(step <= node.Installed, "a node switches to what it has installed");
        for (int index = 0; index < _unsettled.Count;)
        {
            MadeStep made = _unsettled[index];
            if (made.Step > step) break;
            if (made.ToSwitch.Remove(node.Slot) && SettleIfSwitched(made)) continue;
            index++;
        }
    }

    /// <summary>No step waits for a removed node.</summary>
    public void OnRemoved(ServerNode node, Instant now)
    {
        Debug.Assert(node.Info.IsRemoved, "the node is removed");
        if (_installing is { } installing)
        {
            installing.ToSwitch.Remove(node.Slot);
            if (installing.ToInstall.Remove(node.Slot)) ActivateIfInstalled(now);
        }
        for (int index = 0; index < _unsettled.Count;)
        {
            MadeStep made = _unsettled[index];
            made.ToInstall.Remove(node.Slot);
            if (made.ToSwitch.Remove(node.Slot) && SettleIfSwitched(made)) continue;
            index++;
        }
    }

    /// <summary>Cancels the alarms.</summary>
    public void Stop()
    {
        _makeAlarm.Cancel();
        _installAlarm.Cancel();
        _rotateAlarm.Cancel();
    }

    private void Schedule(Instant now)
    {
        if (_installing is not null || _isHeld) return;
        Instant due = _flush || _gatherUntil < now ? now : _gatherUntil;
        _makeAlarm.SetIfEarlier(due);
    }

    private void Rotate(Instant now)
    {
        Debug.Assert(_rotation is not null, "only key rotation sets the alarm");
        _rotation!.IsWanted = true;
        OnChange(false, now);
    }

    private void Make(Instant now)
    {
        if (_installing is not null || _isHeld) return;
        _gatherUntil = Instant.Zero;
        _flush = false;
        MadeStep? made = _maker.Make(Last + 1, now);
        if (_rotation?.Next(now) is { } due && due != Instant.Never) _rotateAlarm.Set(due);
        if (made is null) return;
        _monitors.OnStep();
        Last = made.Step;
        _installing = made;
        if (made.ToInstall.Count == 0)
        {
            Activate(now);
            return;
        }
        bool isShort = _settings.Probes.Here(BuggifySite.InstallCutShort);
        _installBy = now + (isShort ? _settings.InstallTimeout / 10 : _settings.InstallTimeout);
        _installAlarm.Set(_installBy);
    }

    private void OnInstallTimeOver(Instant now)
    {
        _pauses.Look(now);
        if (now < _installBy)
        {
            _installAlarm.Set(_installBy);
            return;
        }
        if (MustAwait(_installing!, now))
        {
            _settings.Probes.Reached("a step waits since most members have not installed it or are out of sight");
            _installBy = now + LookAgain;
            _installAlarm.Set(_installBy);
            return;
        }
        Activate(now);
    }

    // Nodes may have installed the step during a pause of the server, and their reports are not read yet.
    private void OnPaused(TimeSpan pause, Instant now)
    {
        if (_installing is null) return;
        _installBy += pause;
        _installAlarm.Set(_installBy);
    }

    private void ActivateIfInstalled(Instant now)
    {
        if (_installing is { ToInstall.Count: 0 }) Activate(now);
    }

    private void Activate(Instant now)
    {
        Debug.Assert(_installing is not null, "a step is being installed");
        MadeStep made = _installing!;
        if (made.ToInstall.Count > 0)
            _settings.Probes.Reached("a step is activated without some that have not installed it");
        _installing = null;
        _installAlarm.Cancel();
        _lastInstall = now - made.Made;
        byte[] frame = _frame.Begin(FrameKind.Activate).WriteVarint(made.Step).ToArray();
        foreach (ServerNode node in _nodes.Live)
        {
            if (node.BaseStep < made.Step) _nodes.Send(node, frame);
        }
        if (made.Joiners.Count > 0)
        {
            _unsettled.Add(made);
            SettleIfSwitched(made);
        }
        if (_maker.HasWork) Schedule(now);
    }

    private bool SettleIfSwitched(MadeStep made)
    {
        Debug.Assert(made.Joiners.Count > 0, "only steps with joins settle");
        Debug.Assert(made != _installing, "a step settles after its activation");
        if (made.ToSwitch.Count > 0) return false;
        _unsettled.Remove(made);
        byte[] frame = _frame.Begin(FrameKind.Settled).WriteVarint(made.Step).ToArray();
        foreach (ServerNode node in made.Joiners)
        {
            if (!node.Info.IsRemoved) _nodes.Send(node, frame);
        }
        return true;
    }
}
