using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>
/// What all parts of a node's recovery share: the rooms before it, its settings, counters and memory, and the identity
/// that its datagrams carry. It knows none of the parts. Core thread only.
/// </summary>
internal sealed class RecoveryContext
{
    private readonly Arena _cacheArena;
    private readonly BufferPool _pool;

    /// <summary>Makes the context of a node that is in no view yet.</summary>
    public RecoveryContext(
        RecoverySettings settings,
        ITransport transport,
        ISink roots,
        AlarmQueue alarms,
        BufferPool pool,
        RecoveryCounters counters,
        ClusterView cluster,
        Deliverer deliverer,
        Disseminator disseminator,
        IRecoveryEvents events)
    {
        Settings = settings;
        Probes = settings.Probes;
        Transport = transport;
        Roots = roots;
        Alarms = alarms;
        Counters = counters;
        Cluster = cluster;
        Deliverer = deliverer;
        Disseminator = disseminator;
        Events = events;
        Lags = new MemberLags(alarms, events.OnLagChanged);
        _cacheArena = new Arena(pool, BufferOwner.Cache);
        _pool = pool;
        Scratch = new byte[DatagramHeader.MaxDatagram];
    }

    public RecoverySettings Settings { get; }

    public Probes Probes { get; }

    public ITransport Transport { get; }

    public ISink Roots { get; }

    public AlarmQueue Alarms { get; }

    public RecoveryCounters Counters { get; }

    public ClusterView Cluster { get; }

    /// <summary>Receives the packets.</summary>
    public Deliverer Deliverer { get; }

    /// <summary>Sends this node's own streams.</summary>
    public Disseminator Disseminator { get; }

    public IRecoveryEvents Events { get; }

    /// <summary>The members that are behind, of all views that this node learns of.</summary>
    public MemberLags Lags { get; }

    /// <summary>The longest datagram that reaches each member. Shared with dissemination.</summary>
    public PathSizes Paths => Disseminator.Paths;

    /// <summary>
    /// Total time that the application's handlers have taken on the core thread; null where nobody measures it.
    /// </summary>
    public Func<TimeSpan>? HandlerTime { get; init; }

    /// <summary>Buffer in which control datagrams are built, one at a time, when they are pulled.</summary>
    public byte[] Scratch { get; }

    public ulong ClusterInstance { get; set; }

    public ulong SelfKey { get; set; }

    /// <summary>The batch of completions that brought the datagram being handled.</summary>
    public ulong Take { get; set; }

    /// <summary>Repeats of repairs that the members of all views have earned together.</summary>
    public double EarnedRepeats { get; set; }

    /// <summary>This node leads the ring of a view that it sends to: feedback for its own stream.</summary>
    public void Acknowledge(RegionView view, in AckBody ack, Instant now)
    {
        if (Disseminator.FindStream(view.Number.Tag, view.Number.Counter) is { } stream)
            Disseminator.OnAck(stream, ack, now);
    }

    public bool HasCacheRoom(int bytes) => Counters.CachedBytes + bytes <= Settings.CacheBytes && !_pool.IsTight;

    /// <summary>Takes a reference to a packet that is to be kept: in place, or to a copy.</summary>
    /// <param name="datagram">The packet's bytes.</param>
    /// <param name="part">The same bytes in pooled memory, if they may stay there; else empty.</param>
    /// <param name="slice">The reference, which the caller releases.</param>
    /// <returns>False when there is no memory for a copy.</returns>
    public bool TryCopyToCache(ReadOnlySpan<byte> datagram, in Slice part, out Slice slice)
    {
        if (!part.IsEmpty)
        {
            part.Retain();
            slice = part;
            return true;
        }
        return _cacheArena.TryCopy(datagram, out slice);
    }

    /// <summary>Takes memory for a packet that comes in parts.</summary>
    /// <returns>False when there is none.</returns>
    public bool TryTakeCache(int bytes, out Slice slice) => _cacheArena.TryTake(bytes, out slice);

    /// <summary>The header of a control datagram from this node in one view.</summary>
    public DatagramHeader Header(RegionView view, DatagramKind kind) => new()
    {
        Version = view.Version,
        Kind = kind,
        Cluster = ClusterInstance,
        ViewTag = view.Number.Tag,
        ViewCounter = view.Number.Counter,
        Sender = SelfKey,
    };

    /// <summary>Seals a control datagram in <see cref="Scratch"/> and makes its train.</summary>
    public Train Seal(in DatagramHeader header, int bodyLength, NodeInfo to)
    {
        int length = DatagramHeader.Length + bodyLength;
        // Feedback in one view differs from sender to sender only by its destination, so the header names the
        // addressee.
        DatagramHeader sealing = header;
        if (DatagramKinds.IsFeedback(header.Kind)) sealing.Sequence = to.Number.Key;
        sealing.WriteTo(Scratch.AsSpan(0, length));
        Counters.ControlSent++;
        return new Train(Scratch.AsMemory(0, length), length, TrainRoute.Control, to.Control, null);
    }

    /// <summary>Releases everything.</summary>
    public void Close()
    {
        Lags.Close();
        _cacheArena.Close();
    }
}
