using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// The ordered groups of one node. All nodes of the cluster that are in ordered groups, or publish to them, form one
/// ring, so the messages of all ordered groups have one order. Who is in the ring is who is in a group of its own
/// (<see cref="RingGroup"/>), which the stack joins with the first ordered group and leaves after the last. Core thread
/// only.
/// <para>
/// Source: Totem and Spread; what the membership server replaces and what is ours: docs/decisions/0149.
/// </para>
/// </summary>
internal sealed class OrderedEngine : IModeEngine
{
    private readonly OrderedParts _parts;
    private readonly RingFeed _feed;
    private readonly RingPacker _packer;
    private readonly RingRunner _runner;
    private readonly RingRecovery _recovery;
    private readonly RollCall _calls;

    /// <summary>Makes an engine without groups.</summary>
    public OrderedEngine(ModeContext mode, OrderedCounters counters)
    {
        _parts = new OrderedParts(mode, counters);
        _feed = new RingFeed(_parts);
        _packer = new RingPacker(_parts);
        _runner = new RingRunner(_parts, _packer, _feed);
        _recovery = new RingRecovery(_parts, _packer, _runner, _feed);
        _calls = new RollCall(_parts, _feed, () => _runner.Ring);
        _runner.OnAwaited = _recovery.OnAwaited = _calls.OnAwaited;
        _feed.OnEmpty = _runner.Work;
        mode.Outlet.HasMessages = _runner.Kick;
    }

    /// <summary>True while a message of this node is not known to be held by all.</summary>
    public bool IsPending => _packer.IsPending || _parts.Mode.Outlet.HasWork;

    /// <summary>The present ring, for checks that look into it.</summary>
    internal Ring? Ring => _runner.Ring;

    /// <summary>What is done between rings, for checks that look into it.</summary>
    internal RingRecovery Recovery => _recovery;

    /// <summary>The groups, for checks that look into them.</summary>
    internal OrderedParts Parts => _parts;

    /// <inheritdoc/>
    public void OnOpened(ModeSession session, Instant now)
    {
        if (RingGroup.Is(session.Info.Name))
        {
            _parts.RingSession = session;
            _parts.Settings = session.Settings as RingSettings ?? new RingSettings();
            return;
        }
        OrderedGroup? group = _parts.FindGroup(session.Info.Id.Counter);
        if (group is null) _parts.Groups.Add(group = new OrderedGroup(session.Info));
        session.State = group;
        group.Open(session);
    }

    /// <inheritdoc/>
    public void OnClosed(ModeSession session, Instant now)
    {
        if (session == _parts.RingSession)
        {
            EndRing();
            return;
        }
        if (session.State is not OrderedGroup group) return;
        group.Close(session);
        if (group.IsClosed) _parts.Groups.Remove(group.Id.Counter, out _);
    }

    /// <inheritdoc/>
    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        _parts.Views.OnStepInstalled(step, now);
        if (_parts.RingSession is not { } session) return;
        RingId id = RingId.Of(_parts.Mode.Cluster.GroupViewOf(session.Info.Id));
        if (_runner.Ring is not { } ring || ring.Id != id) Enter(id, now);
        _recovery.OnStep(now);
        _runner.OnStep(now);
    }

    /// <inheritdoc/>
    public void OnStepActivated(StepNumber step, Instant now)
    {
        _parts.Active = step;
        _feed.Detach();
        _runner.Kick();
    }

    /// <inheritdoc/>
    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        // The step that follows ends the ring.
    }

    /// <inheritdoc/>
    public RejectReason OnDatagram(
        in DatagramHeader header, NodeInfo sender, ReadOnlySpan<byte> body, in Slice part, in Arrival arrival,
        Instant now)
    {
        if (DatagramKinds.IsFeedback(header.Kind) && header.Sequence != _parts.Mode.SelfKey)
            return RejectReason.NeverSent;
        switch (header.Kind)
        {
            case DatagramKind.OrderedData or DatagramKind.OrderedRepair:
                return OnPacket(sender, body, part, now);
            case DatagramKind.OrderedToken:
                return OrderedTokenBody.TryRead(body, out OrderedTokenBody token)
                    ? _runner.OnToken(token, sender, now) : RejectReason.Malformed;
            case DatagramKind.OrderedWord:
                return OrderedWordBody.TryRead(body, out OrderedWordBody word)
                    ? _runner.OnWord(word, sender, now) : RejectReason.Malformed;
            case DatagramKind.OrderedReport:
                return OrderedReportBody.TryRead(body, out OrderedReportBody report)
                    ? _recovery.OnReport(report, sender, now) : RejectReason.Malformed;
            case DatagramKind.OrderedAsk:
                return OrderedAskBody.TryRead(body, out OrderedAskBody ask)
                    ? _recovery.OnAsk(ask, sender, now) : RejectReason.Malformed;
            case DatagramKind.OrderedCall:
                return OrderedCallBody.TryRead(body, out OrderedCallBody call)
                    ? _calls.OnCall(call, sender, now) : RejectReason.Malformed;
            default:
                return RejectReason.UnknownKind;
        }
    }

    /// <inheritdoc/>
    public void Observe(NodeObservations observed, Instant now) => _calls.Observe(observed, now);

    /// <inheritdoc/>
    public void Close()
    {
        _calls.Close();
        _parts.Mode.Outlet.HasMessages = null;
        _feed.Close();
        _recovery.Close();
        _runner.Ring?.Close();
        _runner.Close();
        _parts.Close();
    }

    private void Enter(RingId id, Instant now)
    {
        var members = new List<NodeInfo>();
        GroupId group = _parts.RingSession!.Info.Id;
        foreach (RegionView view in _parts.RingViews)
        {
            foreach (NodeInfo member in view.MembersOf(group)) members.Add(member);
        }
        _recovery.Enter(new Ring(_parts, id, members), now);
    }

    private void EndRing()
    {
        _parts.RingSession = null;
        _calls.Close();
        _feed.Clear();
        _recovery.Close();
        _runner.Ring?.Close();
        _runner.Leave();
        _parts.Views.Clear();
        _packer.Close();
    }

    private RejectReason OnPacket(NodeInfo from, ReadOnlySpan<byte> body, in Slice part, Instant now)
    {
        if (!OrderedHead.TryRead(body, out OrderedHead head, out int length)) return RejectReason.Malformed;
        if (_runner.Ring is not { } ring) return RejectReason.None;
        EndedRing? ended = null;
        if (head.Ring != ring.Id)
        {
            ended = _recovery.Find(head.Ring);
            if (ended is null) return RejectReason.None;
            ring = ended.Ring;
        }
        int sender = ring.IndexOf(head.Sender);
        if (sender < 0 || ring.IndexOf(from.Number.Key) < 0) return RejectReason.UnknownSender;
        if (ring.Log.Has(head.Sequence))
        {
            _parts.Counters.Duplicates++;
            return RejectReason.None;
        }
        // What was sent in a ring that has ended is taken as an answer alone.
        if (ended is not null && (ring.IsConcluded || !ended.Wants(head.Sequence))) return RejectReason.None;
        if (sender == ring.Self && ended is null) return RejectReason.NeverSent;
        if (!ring.Log.HasRoomFor(head.Sequence)) return RejectReason.BeyondWindow;
        ring.Log.Add(
            new RingPacket(head.Sequence, sender, head.Step, Keep(body, part), DatagramHeader.Length + length));
        _parts.Counters.PacketsReceived++;
        if (ended is null) _runner.OnPacket(head.Sequence, now);
        else _recovery.OnPacket(ended, now);
        return RejectReason.None;
    }

    // With room for a header, so that it can be sent again.
    private Slice Keep(ReadOnlySpan<byte> body, in Slice part)
    {
        if (!part.IsEmpty)
        {
            part.Retain();
            return part;
        }
        Slice bytes = _parts.Memory.Take(DatagramHeader.Length + body.Length);
        body.CopyTo(bytes.Span[DatagramHeader.Length..]);
        return bytes;
    }
}
