using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Hybrids;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>The state that all group senders and streams of one node share.</summary>
internal sealed class SendContext
{
    private readonly ModeOutlet?[] _outlets = new ModeOutlet?[GroupModes.Count];

    public SendContext(
        DisseminationSettings settings,
        ITransport transport,
        ISink roots,
        AlarmQueue alarms,
        BufferPool pool,
        DisseminationCounters counters,
        IDisseminationEvents events)
    {
        Settings = settings;
        Transport = transport;
        Roots = roots;
        Alarms = alarms;
        Pool = pool;
        Counters = counters;
        Events = events;
        Limits = new PendingLimits(settings.Pending);
        CopyArena = new Arena(pool, BufferOwner.Pending);
        SourceArena = new Arena(pool, BufferOwner.Pending);
        SourceWriter = new MessageWriter(SourceArena);
        Streams = new StreamTable(this);
        Routes = new RouteTable(this);
        Loop = new BindingLoop(this);
        Own = new OwnBatch(this);
    }

    public DisseminationSettings Settings { get; }

    public ITransport Transport { get; }

    public ISink Roots { get; }

    public AlarmQueue Alarms { get; }

    public BufferPool Pool { get; }

    public DisseminationCounters Counters { get; }

    public IDisseminationEvents Events { get; }

    public PendingLimits Limits { get; }

    /// <summary>The lanes that cannot be bound before the next step is activated.</summary>
    public List<SendLane> WaitingForStep { get; } = [];

    /// <summary>How long datagrams may be, by member.</summary>
    public PathSizes Paths { get; } = new();

    /// <summary>Bytes of each datagram that are left free for lateral repairs, which are longer than their packets; 0:
    /// none.</summary>
    public int RepairRoom { get; set; }

    /// <summary>Copies of own messages that no packet holds in one piece.</summary>
    public Arena CopyArena { get; }

    public Arena SourceArena { get; }

    public MessageWriter SourceWriter { get; }

    public MessagePool Messages { get; } = new();

    public StreamTable Streams { get; }

    /// <summary>The ways of messages in the active step.</summary>
    public RouteTable Routes { get; }

    public BindingLoop Loop { get; }

    /// <summary>The outlet of a mode's groups.</summary>
    public ModeOutlet OutletOf(byte mode) => _outlets[mode] ??= new ModeOutlet(this);

    /// <summary>Empties the outlets of all modes.</summary>
    public void DetachOutlets()
    {
        foreach (ModeOutlet? outlet in _outlets) outlet?.Detach();
    }

    /// <summary>Closes the outlets of all modes.</summary>
    public void CloseOutlets()
    {
        foreach (ModeOutlet? outlet in _outlets) outlet?.Close();
    }

    /// <summary>How members have been reachable so far.</summary>
    public CarrierMemory Carriers { get; } = new();

    /// <summary>Own messages that are about to be delivered here.</summary>
    public OwnBatch Own { get; }

    /// <summary>The senders of groups with addresses of their own.</summary>
    public List<HybridSender> Hybrids { get; } = [];

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

    /// <summary>Makes a copy with one reference.</summary>
    public Slice Copy(ReadOnlySpan<byte> bytes) => CopyArena.Copy(bytes);
}
