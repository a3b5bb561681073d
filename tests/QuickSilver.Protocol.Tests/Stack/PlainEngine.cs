using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>The least engine that a mode can have: each message is a datagram, nothing is repaired.</summary>
internal sealed class PlainEngine : IModeEngine, IFeed
{
    private readonly ModeContext _context;
    private readonly Queue<Train> _trains = new();
    private readonly List<ModeSession> _sessions = [];
    private readonly Arena _arena;

    public PlainEngine(ModeContext context)
    {
        _context = context;
        _arena = new Arena(context.Pool, BufferOwner.Cache);
        context.Outlet.HasMessages = () => context.Roots.Register(this, PriorityClass.Data);
    }

    public List<string> Events { get; } = [];

    public List<MessageTraits> Traits { get; } = [];

    public void OnOpened(ModeSession session, Instant now)
    {
        _sessions.Add(session);
        Events.Add($"open {session.Info.Name}");
    }

    public void OnClosed(ModeSession session, Instant now)
    {
        _sessions.Remove(session);
        Events.Add($"close {session.Info.Name}");
    }

    public void OnStepInstalled(InstalledStep step, Instant now) => Events.Add("installed");

    public void OnStepActivated(StepNumber step, Instant now) => Events.Add("activated");

    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now) => Events.Add($"removed {nodes[0].Name}");

    public RejectReason OnDatagram(
        in DatagramHeader header, NodeInfo sender, ReadOnlySpan<byte> body, in Slice part, in Arrival arrival,
        Instant now)
    {
        Deliver((uint)header.Sequence, sender, body, now);
        return RejectReason.None;
    }

    public void Close() => _arena.Close();

    public bool TryPull(Instant now, out Train train)
    {
        if (_trains.TryDequeue(out train)) return true;
        if (!_context.Outlet.TryTake(now, out OutgoingMessage? message)) return false;
        Traits.Add(message.Traits);
        uint group = message.Group.Group.Id.Counter;
        byte[] datagram = [.. new byte[DatagramHeader.Length], .. message.Span];
        var trains = new List<Train>();
        foreach (RegionView view in ModeOutlet.SenderOf(message).ViewsNow(now))
        {
            new DatagramHeader
            {
                Kind = DatagramKind.LateralData,
                Cluster = _context.ClusterInstance,
                ViewTag = view.Number.Tag,
                ViewCounter = view.Number.Counter,
                Sender = _context.SelfKey,
                Sequence = group,
            }.WriteTo(datagram);
            _context.Casts.AddTrains(view, _context.SelfKey, datagram, datagram.Length, trains);
        }
        foreach (Train one in trains) _trains.Enqueue(one);
        Deliver(group, _context.Cluster.Self!, message.Span, now);
        _context.Outlet.Finish(message, now);
        return _trains.TryDequeue(out train);
    }

    private void Deliver(uint group, NodeInfo sender, ReadOnlySpan<byte> bytes, Instant now)
    {
        Slice copy = _arena.Copy(bytes);
        foreach (ModeSession session in _sessions.ToArray())
        {
            if (session.Info.Id.Counter == group) session.Deliver(sender, new DeliveryBatch(1, copy), now);
        }
        copy.Release();
    }
}
