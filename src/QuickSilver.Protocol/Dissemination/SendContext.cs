using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// The state that all groups and streams of one node share. It knows none of them: the tables of groups, routes and
/// streams lie with those who coordinate them.
/// </summary>
internal sealed class SendContext(
    DisseminationSettings settings,
    PendingQuota pending,
    ITransport transport,
    ISink roots,
    AlarmQueue alarms,
    BufferPool pool,
    DisseminationCounters counters)
{
    public DisseminationSettings Settings { get; } = settings;

    public ITransport Transport { get; } = transport;

    public ISink Roots { get; } = roots;

    public AlarmQueue Alarms { get; } = alarms;

    public BufferPool Pool { get; } = pool;

    public DisseminationCounters Counters { get; } = counters;

    /// <summary>Limits of pending messages: taken from sources, and not known stable.</summary>
    public PendingLimits Limits { get; } = new(pending);

    /// <summary>How long datagrams may be, by member.</summary>
    public PathSizes Paths { get; } = new();


    public ulong SelfKey { get; set; }

    public ulong ClusterInstance { get; set; }

    /// <summary>The views that groups bind to.</summary>
    public ActiveViews Active { get; } = new();

    public StepNumber ActiveStep { get; set; }

    /// <summary>The number of callers that wait until a group's messages are stable.</summary>
    public int FlushesWaiting { get; set; }

    /// <summary>When a view last showed that it holds something new from this node.</summary>
    public Instant AnsweredAt { get; set; }

    /// <summary>Counts the changes of the active step: a binding made in an earlier one is stale.</summary>
    public ulong Generation { get; set; } = 1;

    /// <summary>True once closing has begun: no listener is called any longer.</summary>
    public bool IsClosed { get; set; }
}
