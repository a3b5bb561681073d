using QuickSilver.Diagnostics;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using ProtocolRegionView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Runtime;

/// <summary>
/// Publishes consistent snapshots (cuts) of a node's figures, taken at the end of a turn, to other threads.
/// <para>
/// A turn that did something sets an alarm for a tenth of a second later, unless one is set. The cut is made at the end
/// of the turn in which the alarm fires. A cut of a busy node is never older than that, and an idle node does not wake
/// for it. A cut copies some forty numbers and allocates nothing; the reader creates the public record. When a reader
/// holds the lock, the cut follows a turn later, at the latest after another tenth. Core thread only, except
/// <see cref="Read"/>.
/// </para>
/// </summary>
internal sealed class StatisticsCutter
{
    private static readonly TimeSpan Age = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan RateWindow = TimeSpan.FromSeconds(1);

    private readonly NodeCore _core;
    private readonly NodeLifecycle _lifecycle;
    private readonly ForgeryReports _forgeries;
    private readonly Alarm _alarm;
    private readonly Instant _started;
    private readonly Lock _lock = new();
    private GroupLayout _counted = GroupLayout.None;
    private int _members;
    private NodeStatistics? _made;
    private NodeFigures _carried;
    private NodeFigures _next;
    private NodeFigures _published;
    private bool _isDue = true;
    private Instant _windowStart;
    private TimeSpan _windowBusy;
    private long _windowPackets;
    private double _utilization;
    private double _rate;

    /// <summary>Creates a cutter without a cut. Call before the core thread starts.</summary>
    public StatisticsCutter(NodeCore core, NodeLifecycle lifecycle, LoopStatistics loop, Instant now)
    {
        _core = core;
        _lifecycle = lifecycle;
        _forgeries = new ForgeryReports(core.Services);
        Loop = loop;
        _started = now;
        _windowStart = now;
        _alarm = new Alarm(core.Alarms, _ => _isDue = true);
    }

    /// <summary>The loop's own figures.</summary>
    public LoopStatistics Loop { get; }

    /// <summary>Durations for the histograms of the meter.</summary>
    public DurationSamples Durations { get; } = new();

    /// <summary>Returns the newest cut. Any thread; blocks for the copy of another reader at most.</summary>
    public NodeStatistics Read()
    {
        lock (_lock)
        {
            _made ??= _published.ToStatistics() with
            {
                Security = _core.Services.Options.Protection.Mode,
            };
            return _made.State == _lifecycle.State ? _made : _made with { State = _lifecycle.State };
        }
    }

    /// <summary>Makes a cut at the end of a turn if one is due.</summary>
    public void OnTurnEnded(Instant now, bool wasBusy)
    {
        bool wasDue = _isDue;
        RecoveryCounters recovery = _core.Stack.Rooms.RecoveryCounters;
        Durations.OnTurnEnded(Loop, wasBusy, recovery.TokenRounds, recovery.TokenRoundTrip);
        if (wasDue) Durations.HandOver();
        if (wasDue) _isDue = !TryCut(now);
        // A cut that a reader blocked needs a later turn, which may not come for long without an alarm.
        if ((wasDue ? _isDue : wasBusy) && !_alarm.IsSet) _alarm.Set(now + Age);
    }

    /// <summary>Makes a cut now: the last one, or one that a caller waits for. It blocks for a reader's copy, because
    /// no later turn could try again.</summary>
    public void Cut(Instant now)
    {
        Collect(now);
        lock (_lock) Publish();
    }

    /// <summary>Carries the counts of the protocol stack over, before the stack is replaced.</summary>
    public void OnStackEnding()
    {
        NodeFigures ending = CollectProtocol(_core.Stack);
        ending.Carry(_carried);
        _carried = ending;
        _windowPackets = 0;
    }

    private bool TryCut(Instant now)
    {
        Collect(now);
        if (!_lock.TryEnter()) return false;
        try
        {
            Publish();
        }
        finally
        {
            _lock.Exit();
        }
        return true;
    }

    private void Publish()
    {
        _published = _next;
        _made = null;
    }

    private void Collect(Instant now)
    {
        MemberLags lags = _core.Stack.Rooms.Lags;
        _forgeries.Check(_core.Stack, now);
        MeasureWindow(now, (long)_core.Stack.Counters.PacketsSent);
        _next = CollectProtocol(_core.Stack);
        _next.Carry(_carried);
        _next.Time = TimeProvider.System.GetUtcNow();
        _next.Uptime = now - _started;
        _next.Groups = _core.Directory.Count;
        _next.Publishers = _core.Directory.Publishers;
        _next.MembersHoldingUp = lags.HoldingUp;
        _next.LongestHoldUp = lags.HoldingUp > 0 ? now - lags.HeldUpSince : TimeSpan.Zero;
        _next.Cipher = _core.Stack.Rooms.Keys?.Newest ?? SealCipher.None;
        _next.SocketDrops = (long)_core.Transport.ReadSocketDrops();
        _next.PacketsBorrowed = (long)_core.Transport.Counters.PacketsBorrowed;
        _next.RateActual = _rate;
        _next.LeasesOutstanding = _core.Services.Inboxes.Leases.Outstanding;
        _next.MessagesDropped = _core.MessagesDropped;
        _next.SlowConsumers = _core.SlowConsumers;
        _next.HandlerErrors = _core.HandlerErrors;
        _next.LogRecordsLost = _core.Services.Log.Lost;
        _next.MembersMissing = _core.MembersMissing;
        _next.MembersShed = _core.MembersShed;
        _next.LoopTurns = (long)Loop.Turns;
        _next.LoopUtilization = _utilization;
        _next.LongestTurn = Loop.LongestTurn;
        _next.Stalls = (long)Loop.Stalls;
        _next.ReceiveBufferBytes = _core.Transport.Facts.ReceiveBufferBytes;
        CountInboxes();
        CountMembers();
    }

    private static NodeFigures CollectProtocol(NodeStack stack)
    {
        StackParts rooms = stack.Rooms;
        NodeCounters all = stack.Counters;
        DisseminationCounters sent = rooms.DisseminationCounters;
        RecoveryCounters received = rooms.RecoveryCounters;
        return new NodeFigures
        {
            ViewChanges = (long)rooms.StepsInstalled,
            Suspicions = (long)received.Suspicions,
            MessagesSent = (long)sent.MessagesSent,
            MessagesReceived = (long)all.MessagesReceived,
            BytesSent = (long)sent.BytesSent,
            BytesReceived = (long)all.BytesReceived,
            PacketsSent = (long)all.PacketsSent,
            PacketsLent = (long)sent.PacketsLent,
            HybridPacketsSent = (long)sent.HybridPackets,
            HybridFallbacks = (long)sent.HybridFallbacks,
            HybridPacketsReceived = (long)received.HybridPackets,
            MessageCopies = (long)sent.MessageCopies,
            DatagramsSent = (long)rooms.Roots.Counters.TotalDatagrams,
            PacketsReceived = (long)all.PacketsReceived,
            PacketsDuplicate = (long)all.PacketsDuplicate,
            PacketsFiltered = (long)all.PacketsFiltered,
            MessagesFiltered = (long)rooms.DeliveryCounters.MessagesFiltered,
            PacketsRejected = (long)all.Rejected.Total,
            PacketsMissed = (long)all.PacketsMissed,
            RepairsFromPeers = (long)all.RepairsFromPeers,
            RepairsFromSenders = (long)all.RepairsFromSenders,
            RepairsWasted = (long)received.RepairsWasted,
            RepairsGiven = (long)all.RepairsGiven,
            PacketsJoined = (long)received.PacketsJoined,
            MessagesLost = (long)all.MessagesLost,
            TokenRounds = (long)received.TokenRounds,
            TokenRoundTrip = received.TokenRoundTrip,
            PendingMessages = sent.PendingMessages,
            PendingBytes = sent.PendingBytes,
            CachedBytes = all.CachedBytes,
            DatagramBytes = rooms.Disseminator.ShortestSlot,
            NarrowPaths = all.NarrowPaths,
            BackpressureEpisodes = (long)sent.GatesShut,
            MembersByUnicast = all.MembersByUnicast,
            MembersToUnicast = (long)sent.MembersToUnicast,
            RateLimit = all.RateLimit,
            Lateral = LateralFigures.Of(rooms.LateralCounters),
            Timed = TimedFigures.Of(rooms.TimedCounters),
            Ordered = OrderedFigures.Of(rooms.OrderedCounters),
        };
    }

    private void CountInboxes()
    {
        InboxBudget budget = _core.Services.Inboxes.Budget;
        budget.Refresh();
        foreach (IBudgetedInbox inbox in budget.Active)
        {
            _next.InboxMessages += inbox.Messages;
            _next.InboxBytes += inbox.Bytes;
        }
        _next.MessagesRead = _core.Services.Inboxes.MessagesRead + _core.MessagesHandled;
    }

    // Views change with steps only.
    private void CountMembers()
    {
        GroupLayout layout = _core.Layout;
        if (layout != _counted)
        {
            _counted = layout;
            _members = 0;
            foreach (ProtocolRegionView region in layout.Views) _members += region.Members.Length;
        }
        _next.Regions = layout.Views.Count;
        _next.Members = _members;
    }

    private void MeasureWindow(Instant now, long packets)
    {
        TimeSpan window = now - _windowStart;
        if (window < RateWindow) return;
        TimeSpan busy = Loop.TimeInAll;
        _utilization = Math.Clamp((busy - _windowBusy) / window, 0, 1);
        _rate = (packets - _windowPackets) / window.TotalSeconds;
        _windowStart = now;
        _windowBusy = busy;
        _windowPackets = packets;
    }
}
