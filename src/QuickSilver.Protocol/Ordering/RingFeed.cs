using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// What the ordered groups send, in one order: packets before the token, the token, packets after it. When nothing is
/// left it asks what is next. Core thread only.
/// </summary>
/// <param name="parts">What the ordered groups share.</param>
internal sealed class RingFeed(OrderedParts parts) : IFeed
{
    private readonly RingQueue<Outgoing> _waiting = new();
    private readonly List<RegionView> _views = [];
    private readonly ViewCast _trains = new(parts.Mode);
    private Outgoing _present;
    private int _nextView;
    private bool _isClosed;

    /// <summary>Called when nothing waits; returns false when there is nothing to do.</summary>
    public Func<Instant, bool> OnEmpty { get; set; } = static _ => false;

    /// <summary>Asks to be called.</summary>
    public void Wake()
    {
        if (!_isClosed) parts.Mode.Roots.Register(this, PriorityClass.Data);
    }

    /// <summary>
    /// Adds packets of the log that lie one behind the other, for all members of the ring; takes references of its own.
    /// </summary>
    public void AddPackets(RingLog log, ulong first, int count, DatagramKind kind)
    {
        int most = kind == DatagramKind.OrderedData ? Train.MaxDatagrams : 1;
        for (int index = 0; index < count;)
        {
            Slice run = log[first + (ulong)index].Bytes;
            int segment = run.Length;
            int length = 1;
            while (length < most && index + length < count
                && TryExtend(ref run, segment, length, log[first + (ulong)(index + length)].Bytes)) length++;
            index += length;
            run.Retain();
            Add(new Outgoing(kind, run, segment, null));
        }
    }

    /// <summary>Adds a packet of the log for one member.</summary>
    public void AddPacket(in RingPacket packet, NodeInfo to)
    {
        packet.Bytes.Retain();
        Add(new Outgoing(DatagramKind.OrderedRepair, packet.Bytes, packet.Bytes.Length, to));
    }

    /// <summary>Adds a datagram without its header; takes the caller's reference.</summary>
    public void AddWord(DatagramKind kind, in Slice bytes, NodeInfo? to) =>
        Add(new Outgoing(kind, bytes, bytes.Length, to));

    /// <summary>Room for a word; <see cref="Trim"/> gives the rest back.</summary>
    public Slice Room(int body) => parts.Memory.Take(DatagramHeader.Length + body);

    /// <summary>Cuts a word to its length.</summary>
    public Slice Trim(in Slice room, int body) => parts.Memory.Trim(room, DatagramHeader.Length + body);

    /// <summary>Drops all that waits: the ring has ended.</summary>
    public void Clear()
    {
        Stop();
        while (_waiting.Count > 0) _waiting.Dequeue().Bytes.Release();
    }

    /// <summary>The addresses of views have changed: what is under way to one of them is not sent there.</summary>
    public void Detach()
    {
        parts.Mode.Roots.DropKept(this);
        _trains.Stop();
        if (!_present.Bytes.IsEmpty || _waiting.Count > 0) Wake();
    }

    /// <summary>Sends nothing any more.</summary>
    public void Close()
    {
        _isClosed = true;
        Clear();
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        while (!_trains.TryNext(out train))
        {
            if (_isClosed) return false;
            if (!_present.Bytes.IsEmpty && _nextView < _views.Count)
            {
                Start(_present, _views[_nextView++]);
                continue;
            }
            Finish();
            if (_waiting.Count > 0) Begin(_waiting.Dequeue());
            else if (!OnEmpty(now)) return false;
        }
        return true;
    }

    private static bool TryExtend(ref Slice run, int segment, int count, in Slice next)
    {
        bool follows = run.Chunk == next.Chunk && run.Offset + run.Length == next.Offset;
        bool isEven = run.Length == count * segment && next.Length <= segment;
        if (!follows || !isEven || run.Length + next.Length > Train.RoomFor(count + 1)) return false;
        run = run with { Length = run.Length + next.Length };
        return true;
    }

    private void Add(in Outgoing outgoing)
    {
        if (_isClosed)
        {
            outgoing.Bytes.Release();
            return;
        }
        _waiting.Enqueue(outgoing);
        Wake();
    }

    private void Begin(in Outgoing outgoing)
    {
        _present = outgoing;
        _views.Clear();
        _nextView = 0;
        if (outgoing.To is { } to)
        {
            if (ViewFor(outgoing.Kind, to) is { } view && !to.IsRemoved) StartTo(outgoing, to, view);
            return;
        }
        IReadOnlyList<RegionView> views = parts.RingViews;
        for (int index = 0; index < views.Count; index++) _views.Add(views[index]);
    }

    private DatagramFlags FlagsOf(DatagramKind kind) =>
        DatagramKinds.HasOwnChecksum(kind) ? parts.Mode.PacketFlags : DatagramFlags.None;

    // Feedback names the view of the node that says it.
    private RegionView? ViewFor(DatagramKind kind, NodeInfo to) =>
        DatagramKinds.IsFeedback(kind) ? parts.Mode.Cluster.Own : parts.ViewOf(to);

    private void StartTo(in Outgoing outgoing, NodeInfo to, RegionView view)
    {
        ulong sequence = DatagramKinds.IsFeedback(outgoing.Kind) ? to.Number.Key : 0;
        parts.Mode.Header(outgoing.Kind, view, sequence, FlagsOf(outgoing.Kind)).WriteTo(outgoing.Bytes.Span);
        bool isControl = DatagramKinds.IsControl(outgoing.Kind);
        _trains.Add(new Train(
            outgoing.Bytes.Memory, outgoing.Segment, isControl ? TrainRoute.Control : TrainRoute.Unicast,
            isControl ? to.Control : to.Data, null));
    }

    private void Start(in Outgoing outgoing, RegionView view)
    {
        DatagramHeader header = parts.Mode.Header(outgoing.Kind, view, flags: FlagsOf(outgoing.Kind));
        for (int at = 0; at < outgoing.Bytes.Length; at += outgoing.Segment)
        {
            int length = Math.Min(outgoing.Segment, outgoing.Bytes.Length - at);
            header.WriteTo(outgoing.Bytes.Span.Slice(at, length));
        }
        if (outgoing.Kind == DatagramKind.OrderedData)
        {
            _trains.Add(view, outgoing.Bytes.Memory, outgoing.Segment);
            return;
        }
        // What was lost once goes another way: multicast may not arrive.
        foreach (NodeInfo member in view.Members)
        {
            if (member.IsRemoved || member.Number.Key == parts.Mode.SelfKey) continue;
            _trains.Add(new Train(
                outgoing.Bytes.Memory, outgoing.Segment, TrainRoute.Unicast, member.Data, null));
        }
    }

    private void Finish()
    {
        _present.Bytes.Release();
        _present = default;
        _views.Clear();
        _nextView = 0;
    }

    private void Stop()
    {
        parts.Mode.Roots.DropKept(this);
        _trains.Stop();
        Finish();
    }

    private readonly record struct Outgoing(DatagramKind Kind, Slice Bytes, int Segment, NodeInfo? To);
}
