using QuickSilver.Diagnostics;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Stack;
using ProtocolRegionView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Runtime;

/// <summary>
/// Cuts a node's figures at the end of a turn and hands them to other threads, whole.
/// <para>
/// A turn that did something sets an alarm for a tenth of a second later, unless it is set; at the end of the turn in which it fires the cut is made.
/// So a cut is never older than that while anything happens, and an idle node does not wake for it. Making a cut copies some forty numbers and
/// allocates nothing; the public record is made by who asks. When a reader holds the lock at that moment the cut is made a turn later, at the latest
/// after another tenth. Core thread only, but for <see cref="Read"/>.
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
    private readonly HashSet<ProtocolRegionView> _regions = [];
    private ulong _countedSteps;
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

    /// <summary>Makes a cutter that has cut nothing. Before the core thread starts.</summary>
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

    /// <summary>The newest cut. Any thread; waits for nothing but another reader's copy.</summary>
    public NodeStatistics Read()
    {
        lock (_lock)
        {
            _made ??= _published.ToStatistics();
            return _made.State == _lifecycle.State ? _made : _made with { State = _lifecycle.State };
        }
    }

    /// <summary>A turn has ended.</summary>
    public void OnTurnEnded(Instant now, bool wasBusy)
    {
        bool wasDue = _isDue;
        if (wasDue) _isDue = !TryCut(now);
        // A cut that a reader was in the way of needs a later turn, and there may be none for long.
        if ((wasDue ? _isDue : wasBusy) && !_alarm.IsSet) _alarm.Set(now + Age);
    }

    /// <summary>Makes a cut now: the last one, or one that somebody waits for. There is no later turn to try again in, so it waits for a reader's
    /// copy.</summary>
    public void Cut(Instant now)
    {
        Collect(now);
        lock (_lock) Publish();
    }

    /// <summary>The protocol stack is about to be replaced: what it has counted is carried over.</summary>
    public void OnStackEnding()
    {
        NodeFigures ending = CollectProtocol(_core.Stack.Counters);
        ending.Carry(_carried);
        _carried = ending;
        _countedSteps = ulong.MaxValue;
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
        NodeCounters counters = _core.Stack.Counters;
        _forgeries.Look(_core.Stack, now);
        MeasureWindow(now, counters);
        _next = CollectProtocol(counters);
        _next.Carry(_carried);
        _next.Time = TimeProvider.System.GetUtcNow();
        _next.Uptime = now - _started;
        _next.Groups = _core.Directory.Count;
        _next.MembersHoldingUp = counters.MembersHoldingUp;
        _next.LongestHoldUp = counters.MembersHoldingUp > 0 ? now - counters.HeldUpSince : TimeSpan.Zero;
        _next.SocketDrops = (long)_core.Transport.ReadSocketDrops();
        _next.PacketsBorrowed = (long)_core.Transport.Counters.PacketsBorrowed;
        _next.RateActual = _rate;
        _next.LeasesOutstanding = _core.Services.Inboxes.Leases.Outstanding;
        _next.MessagesDropped = _core.MessagesDropped;
        _next.SlowConsumers = _core.SlowConsumers;
        _next.HandlerErrors = _core.HandlerErrors;
        _next.MembersMissing = _core.MembersMissing;
        _next.LoopTurns = (long)Loop.Turns;
        _next.LoopUtilization = _utilization;
        _next.LongestTurn = Loop.LongestTurn;
        _next.Stalls = (long)Loop.Stalls;
        _next.ReceiveBufferBytes = _core.Transport.Facts.ReceiveBufferBytes;
        CountInboxes();
        CountMembers(counters.StepsInstalled);
    }

    private static NodeFigures CollectProtocol(NodeCounters counters)
    {
        return new NodeFigures
        {
            ViewChanges = (long)counters.StepsInstalled,
            Suspicions = (long)counters.Suspicions,
            MessagesSent = (long)counters.MessagesSent,
            MessagesReceived = (long)counters.MessagesReceived,
            BytesSent = (long)counters.BytesSent,
            BytesReceived = (long)counters.BytesReceived,
            PacketsSent = (long)counters.PacketsSent,
            PacketsLent = (long)counters.PacketsLent,
            MessageCopies = (long)counters.MessageCopies,
            DatagramsSent = (long)counters.DatagramsSent,
            PacketsReceived = (long)counters.PacketsReceived,
            PacketsDuplicate = (long)counters.PacketsDuplicate,
            PacketsRejected = (long)counters.Rejected.Total,
            PacketsMissed = (long)counters.PacketsMissed,
            RepairsFromPeers = (long)counters.RepairsFromPeers,
            RepairsFromSenders = (long)counters.RepairsFromSenders,
            RepairsGiven = (long)counters.RepairsGiven,
            PacketsJoined = (long)counters.PacketsJoined,
            MessagesLost = (long)counters.MessagesLost,
            TokenRounds = (long)counters.TokenRounds,
            TokenRoundTrip = counters.TokenRoundTrip,
            PendingMessages = counters.PendingMessages,
            PendingBytes = counters.PendingBytes,
            CachedBytes = counters.CachedBytes,
            DatagramBytes = counters.ShortestSlot,
            NarrowPaths = counters.NarrowPaths,
            BackpressureEpisodes = (long)counters.BackpressureEpisodes,
            MembersByUnicast = counters.MembersByUnicast,
            MembersToUnicast = (long)counters.MembersToUnicast,
            RateLimit = counters.RateLimit,
        };
    }

    private void CountInboxes()
    {
        InboxBudget budget = _core.Services.Inboxes.Budget;
        budget.Refresh();
        foreach (InboxCore inbox in budget.Active)
        {
            _next.InboxMessages += inbox.Messages;
            _next.InboxBytes += inbox.Bytes;
        }
        _next.MessagesRead = _core.Services.Inboxes.MessagesRead + _core.MessagesHandled;
    }

    // Views change with steps only, and there may be thousands of groups: counted again when a step has been installed.
    private void CountMembers(ulong steps)
    {
        if (steps != _countedSteps)
        {
            _countedSteps = steps;
            _regions.Clear();
            _members = 0;
            foreach (GroupCore group in _core.Directory.Groups)
            {
                if (group.View is not { } view) continue;
                foreach (ProtocolRegionView region in view.ProtocolRegions)
                {
                    if (_regions.Add(region)) _members += region.Members.Length;
                }
            }
        }
        _next.Regions = _regions.Count;
        _next.Members = _members;
    }

    private void MeasureWindow(Instant now, NodeCounters counters)
    {
        TimeSpan window = now - _windowStart;
        if (window < RateWindow) return;
        TimeSpan busy = Loop.TimeInAll;
        _utilization = Math.Clamp((busy - _windowBusy) / window, 0, 1);
        _rate = ((long)counters.PacketsSent - _windowPackets) / window.TotalSeconds;
        _windowStart = now;
        _windowBusy = busy;
        _windowPackets = (long)counters.PacketsSent;
    }
}
