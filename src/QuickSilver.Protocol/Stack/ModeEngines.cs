using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// The engines of the modes that this node's groups use. An engine is made with the first group of its mode, so a node
/// without such groups has none, and pays one comparison a step. Core thread only.
/// </summary>
/// <param name="rooms">The node's rooms.</param>
internal sealed class ModeEngines(StackParts rooms)
{
    private readonly IModeEngine?[] _engines = new IModeEngine?[GroupModes.Count];
    private readonly ModeContext?[] _contexts = new ModeContext?[GroupModes.Count];
    private int _count;

    /// <summary>What all sessions have delivered.</summary>
    public ModeTotals Totals { get; } = new();

    /// <summary>The engine of a mode; null while no group has needed it.</summary>
    public IModeEngine? Find(byte mode) => mode < GroupModes.Count ? _engines[mode] : null;

    /// <summary>Begins a session in a group of a mode other than reliable.</summary>
    public ModeSession Open(ModeSession session, Instant now)
    {
        EngineOf(session.Info.Mode).OnOpened(session, now);
        return session;
    }

    /// <summary>Ends a session.</summary>
    public void Close(ModeSession session, Instant now)
    {
        if (!session.IsOpen) return;
        session.End();
        Find(session.Info.Mode)?.OnClosed(session, now);
    }

    /// <summary>Takes a datagram of a mode's kinds; its header is good.</summary>
    public RejectReason OnDatagram(
        byte mode, in DatagramHeader header, ReadOnlySpan<byte> datagram, in Slice part, in Arrival arrival,
        Instant now)
    {
        bool isControl = DatagramKinds.IsControl(header.Kind);
        if (isControl != (arrival.Role == SocketRole.Control)) return RejectReason.WrongSocket;
        // Members of a merged region hear what is meant for others.
        if (Find(mode) is not { } engine) return RejectReason.None;
        if (rooms.Cluster.FindNode(header.Sender) is not { } sender) return RejectReason.UnknownSender;
        if (!sender.MaySend(header.Kind, arrival)) return RejectReason.WrongSource;
        if (sender.IsRemoved) return RejectReason.RemovedSender;
        if (DatagramKinds.HasOwnChecksum(header.Kind) && !header.PayloadIsIntact(datagram))
            return RejectReason.PayloadChecksum;
        return engine.OnDatagram(header, sender, datagram[DatagramHeader.Length..], part, arrival, now);
    }

    public void OnRegistered()
    {
        foreach (ModeContext? context in _contexts)
        {
            if (context is not null) Identify(context);
        }
    }

    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        if (_count == 0) return;
        foreach (IModeEngine? engine in _engines) engine?.OnStepInstalled(step, now);
    }

    public void OnStepActivated(StepNumber step, Instant now)
    {
        if (_count == 0) return;
        foreach (ModeContext? context in _contexts) context?.Casts.Trim(rooms.Cluster);
        foreach (IModeEngine? engine in _engines) engine?.OnStepActivated(step, now);
    }

    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        if (_count == 0) return;
        foreach (IModeEngine? engine in _engines) engine?.OnNodesRemoved(nodes, now);
    }

    public void Observe(NodeObservations observed, Instant now)
    {
        if (_count == 0) return;
        foreach (IModeEngine? engine in _engines) engine?.Observe(observed, now);
    }

    public void Close()
    {
        foreach (IModeEngine? engine in _engines) engine?.Close();
        foreach (ModeContext? context in _contexts) context?.Casts.Close();
    }

    private IModeEngine EngineOf(byte mode)
    {
        if (_engines[mode] is { } known) return known;
        var context = new ModeContext
        {
            Transport = rooms.Host.Transport,
            Roots = rooms.Roots,
            Alarms = rooms.Host.Alarms,
            Random = new SeededRandom(rooms.Host.Random.NextUInt64()),
            Pool = rooms.Host.Pool,
            Probes = rooms.Probes,
            Cluster = rooms.Cluster,
            Outlet = rooms.Disseminator.OutletOf(mode),
            PacketFlags = rooms.Host.Transport.Facts.ChecksumPayloads && rooms.Keys is null
                ? DatagramFlags.PayloadChecksum : DatagramFlags.None,
            Casts = new RegionCasts(rooms.Host.Transport, rooms.Disseminator.Paths, rooms.Disseminator.Carriers),
        };
        Identify(context);
        _contexts[mode] = context;
        _count++;
        return _engines[mode] = rooms.MakeEngine(mode, context);
    }

    private void Identify(ModeContext context)
    {
        context.SelfKey = rooms.SelfKey;
        context.ClusterInstance = rooms.ClusterInstance;
    }
}
