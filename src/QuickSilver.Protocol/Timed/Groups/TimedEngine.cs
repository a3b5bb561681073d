using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Timed.Receiving;
using QuickSilver.Protocol.Timed.Sending;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Groups;

/// <summary>
/// The timed groups of one node: what is older than its time is worthless, so senders keep a short history, receivers
/// ask by requests that silence each other, and nothing waits for stability. Core thread only.
/// <para>
/// A message stays with its source until its group's bucket is open (<see cref="ModeOutlet"/>). A datagram names its
/// group, its sender and a region view that both know. Source: the VE paper; numbers per (sender, group), exact starts,
/// replacement and partners are ours (docs/decisions/0070).
/// </para>
/// </summary>
internal sealed class TimedEngine : IModeEngine, IFeed
{
    private const int NaksPerSecond = 2000;
    private const int RememberedSteps = 8;
    // The pause between two passes that let go of what has ended.
    private static readonly TimeSpan SweepPause = TimeSpan.FromSeconds(1);

    private readonly TimedContext _context;
    private readonly KeyedSet<uint, TimedGroup> _byId = new(static group => group.Id.Counter);
    private readonly List<TimedGroup> _groups = [];
    private readonly List<KnownView> _views = [];
    private readonly Func<GroupSender, bool> _mayTake;
    private readonly Alarm _sweep;
    private readonly TokenBucket _naks;
    private Instant _now;
    private ulong _steps;

    /// <summary>Makes an engine without groups.</summary>
    public TimedEngine(ModeContext mode, TimedCounters counters)
    {
        _context = new TimedContext(mode, counters, WakeIntake);
        _mayTake = MayTake;
        _sweep = new Alarm(mode.Alarms, Sweep);
        _naks = new TokenBucket(NaksPerSecond, NaksPerSecond, Instant.Zero);
        mode.Outlet.HasMessages = WakeIntake;
    }

    /// <summary>The groups, for checks that look into them.</summary>
    internal IReadOnlyList<TimedGroup> Groups => _groups;

    /// <inheritdoc/>
    public void OnOpened(ModeSession session, Instant now)
    {
        if (!_byId.TryGet(session.Info.Id.Counter, out TimedGroup? group))
        {
            group = new TimedGroup(_context, session.Info, session.Settings as TimedSettings ?? new TimedSettings());
            _byId.Add(group);
            _groups.Add(group);
        }
        session.State = group;
        group.Open(session);
    }

    /// <inheritdoc/>
    public void OnClosed(ModeSession session, Instant now) => (session.State as TimedGroup)?.Close(session);

    /// <inheritdoc/>
    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        _steps++;
        foreach (RegionView view in _context.Mode.Cluster.Views)
        {
            int known = _views.FindIndex(known => ReferenceEquals(known.View, view));
            if (known < 0) _views.Add(new KnownView(view, _steps));
            else _views[known] = new KnownView(view, _steps);
        }
        _views.RemoveAll(known => known.SeenIn + RememberedSteps < _steps);
        foreach (TimedGroup group in _groups) group.FindOwnView();
    }

    /// <inheritdoc/>
    public void OnStepActivated(StepNumber step, Instant now)
    {
        _context.Words.Detach();
        foreach (TimedGroup group in _groups)
        {
            group.Partners.Detach();
            group.Sender?.Detach();
        }
        WakeIntake();
    }

    /// <inheritdoc/>
    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        foreach (NodeInfo node in nodes)
        {
            // Downwards by index: a handler may close groups, none is removed from the list.
            for (int index = _groups.Count - 1; index >= 0; index--) _groups[index].OnRemoved(node, now);
        }
    }

    /// <inheritdoc/>
    public RejectReason OnDatagram(
        in DatagramHeader header, NodeInfo sender, ReadOnlySpan<byte> body, in Slice part, in Arrival arrival,
        Instant now)
    {
        if (FindView(header.ViewTag, header.ViewCounter) is not { } view) return RejectReason.UnknownView;
        return header.Kind switch
        {
            DatagramKind.TimedData => OnPacket(header, view, sender, body, now),
            DatagramKind.TimedRepair => OnRepair(header, view, sender, body, now),
            DatagramKind.TimedNak or DatagramKind.TimedAsk => OnNak(header, view, sender, body, now),
            DatagramKind.TimedGone => OnGone(header, view, sender, body, now),
            DatagramKind.TimedStatus => OnStatus(header, view, sender, body, now),
            DatagramKind.TimedEcho => OnEcho(header, body, now),
            _ => RejectReason.UnknownKind,
        };
    }

    /// <summary>Takes messages from their sources, for each group whose bucket is open one at a time.</summary>
    public bool TryPull(Instant now, out Train train)
    {
        train = default;
        _now = now;
        while (_context.Mode.Outlet.TryTake(now, _mayTake, out OutgoingMessage? message))
        {
            GroupSender sender = ModeOutlet.SenderOf(message);
            GroupOf(sender).SenderFor(sender, now).Take(message, now);
            _context.Mode.Outlet.Finish(message, now);
        }
        return false;
    }

    /// <inheritdoc/>
    public void Close()
    {
        _sweep.Cancel();
        _context.Words.Close();
        foreach (TimedGroup group in _groups) group.Shutdown();
        _context.Held.Close();
        _context.Joined.Close();
    }

    private void WakeIntake()
    {
        if (_context.Mode.Outlet.HasWork) _context.Mode.Roots.Register(this, PriorityClass.Data);
    }

    private bool MayTake(GroupSender sender) => GroupOf(sender).SenderFor(sender, _now).MayTake(_now);

    private TimedGroup GroupOf(GroupSender sender) =>
        _byId.TryGet(sender.Group.Id.Counter, out TimedGroup? group)
            ? group
            : throw new InvalidOperationException($"Group {sender.Group.Name} has no session.");

    private RegionView? FindView(uint tag, uint counter)
    {
        foreach (KnownView known in _views)
        {
            if (known.View.Number.Tag == tag && known.View.Number.Counter == counter) return known.View;
        }
        return null;
    }

    // A group that this node is in, and that the view has; null otherwise: members of a region may be in fewer groups.
    private TimedGroup? FindGroup(uint id, RegionView view, out RejectReason reason)
    {
        reason = RejectReason.None;
        if (!_byId.TryGet(id, out TimedGroup? group))
        {
            _context.Counters.PacketsFiltered++;
            return null;
        }
        if (view.Region.Contains(group.Id)) return group;
        reason = RejectReason.Malformed;
        return null;
    }

    private RejectReason OnPacket(
        in DatagramHeader header, RegionView view, NodeInfo sender, ReadOnlySpan<byte> body, Instant now)
    {
        if (!TimedHead.TryRead(body, view.Number.Epoch, header.Sequence, out TimedHead head, out int length))
            return RejectReason.Malformed;
        if (FindGroup(head.Group, view, out RejectReason reason) is not { IsMember: true } group) return reason;
        group.Partners.OnSeen(sender.Number.Key, header.Sequence);
        if (!_sweep.IsSet) _sweep.Set(now + SweepPause);
        return group.ReceiverOf(sender).OnPacket(header.Sequence, head, body[length..], now);
    }

    // A repair by a partner names the packet's sender in front of its body.
    private RejectReason OnRepair(
        in DatagramHeader header, RegionView view, NodeInfo from, ReadOnlySpan<byte> body, Instant now)
    {
        if ((header.Flags & DatagramFlags.FromPeer) == 0) return OnPacket(header, view, from, body, now);
        var reader = new WireReader(body);
        ulong key = reader.ReadUInt64();
        if (reader.Failed) return RejectReason.Malformed;
        if (view.IndexOf(from.Number.Key) < 0) return RejectReason.UnknownSender;
        if (key == _context.Mode.SelfKey) return RejectReason.None;
        if (_context.Mode.Cluster.FindNode(key) is not { } sender) return RejectReason.UnknownSender;
        if (sender.IsRemoved) return RejectReason.RemovedSender;
        return OnPacket(header, view, sender, body[sizeof(ulong)..], now);
    }

    private RejectReason OnNak(
        in DatagramHeader header, RegionView view, NodeInfo asker, ReadOnlySpan<byte> body, Instant now)
    {
        if (!TimedNakBody.TryRead(body, out TimedNakBody nak)) return RejectReason.Malformed;
        if (FindGroup(nak.Group, view, out RejectReason reason) is not { } group) return reason;
        int index = view.IndexOf(asker.Number.Key);
        if (index < 0 || !view.IsMember(index, group.Id)) return RejectReason.UnknownSender;
        if (!_naks.TryTake(1, now))
        {
            _context.Counters.NaksOverBudget++;
            return RejectReason.NoRoom;
        }
        _context.Counters.NaksReceived++;
        bool isAsked = header.Sequence == _context.Mode.SelfKey;
        if (header.Kind == DatagramKind.TimedAsk && !isAsked) return RejectReason.NeverSent;
        if (isAsked)
        {
            if (group.Sender is not { } own || !own.MayBeAsked(nak.Ranges)) return RejectReason.NeverSent;
            own.OnNak(nak, view, asker, now);
            return RejectReason.None;
        }
        if (!group.IsMember || group.Find(header.Sequence) is not { IsStarted: true } receiver)
            return RejectReason.None;
        receiver.Requests.OnHeard(nak.Ranges, now);
        if (group.Settings.PartnersRepair && ReferenceEquals(view, group.OwnView))
            group.Partners.Order(receiver, nak.Ranges, now);
        return RejectReason.None;
    }

    private RejectReason OnGone(
        in DatagramHeader header, RegionView view, NodeInfo sender, ReadOnlySpan<byte> body, Instant now)
    {
        if (!TimedGoneBody.TryRead(body, header.Sequence, out TimedGoneBody gone)) return RejectReason.Malformed;
        if (FindGroup(gone.Group, view, out RejectReason reason) is not { IsMember: true } group) return reason;
        group.Find(sender.Number.Key)?.OnGone(header.Sequence, gone.Ranges, now);
        return RejectReason.None;
    }

    private RejectReason OnStatus(
        in DatagramHeader header, RegionView view, NodeInfo sender, ReadOnlySpan<byte> body, Instant now)
    {
        bool isGood = TimedStatusBody.TryRead(body, view.Number.Epoch, header.Sequence, out TimedStatusBody status);
        if (!isGood) return RejectReason.Malformed;
        if (FindGroup(status.Group, view, out RejectReason reason) is not { IsMember: true } group) return reason;
        if (!_sweep.IsSet) _sweep.Set(now + SweepPause);
        return group.ReceiverOf(sender).OnStatus(header.Sequence, status, now);
    }

    private RejectReason OnEcho(in DatagramHeader header, ReadOnlySpan<byte> body, Instant now)
    {
        if (!TimedEchoBody.TryRead(body, out TimedEchoBody echo)) return RejectReason.Malformed;
        if (header.Sequence != _context.Mode.SelfKey) return RejectReason.NeverSent;
        if (!_byId.TryGet(echo.Group, out TimedGroup? group) || group.Sender is not { } own)
            return RejectReason.NeverSent;
        own.OnEcho(echo.Probe, echo.Held, now);
        return RejectReason.None;
    }

    private void Sweep(Instant now)
    {
        Debug.Assert(!_sweep.IsSet, "the alarm has fired");
        bool anyHeld = false;
        foreach (TimedGroup group in _groups)
        {
            // By index: an enumerator of the interface would be allocated.
            for (int index = 0; index < group.Receivers.Count; index++)
                anyHeld |= group.Receivers[index].Window.ReleaseEnded(now);
        }
        if (anyHeld) _sweep.Set(now + SweepPause);
    }

    private readonly record struct KnownView(RegionView View, ulong SeenIn);
}
