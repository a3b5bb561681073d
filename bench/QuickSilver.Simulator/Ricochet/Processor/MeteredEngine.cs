using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Simulator.Ricochet.Processor;

/// <summary>The lateral engine of a node, with a clock beside each call that takes a datagram or builds a
/// repair.</summary>
/// <param name="context">What the engine works with; its feeds are registered with a clock beside them.</param>
/// <param name="counters">The engine's counts.</param>
/// <param name="meter">Adds up the times of all nodes.</param>
internal sealed class MeteredEngine(ModeContext context, LateralCounters counters, EngineMeter meter) : IModeEngine
{
    private readonly LateralEngine _engine = new(
        new ModeContext
        {
            Transport = context.Transport,
            Roots = new MeteredSink(context.Roots, meter),
            Alarms = context.Alarms,
            Random = context.Random,
            Pool = context.Pool,
            Probes = context.Probes,
            Cluster = context.Cluster,
            Outlet = context.Outlet,
            Casts = context.Casts,
            SelfKey = context.SelfKey,
            ClusterInstance = context.ClusterInstance,
        },
        counters);

    private readonly Dictionary<ModeSession, ModeSession> _sessions = [];

    public void OnOpened(ModeSession session, Instant now)
    {
        var inner = new ModeSession(
            session.Info, session.Began, session.IsPublisher, session.Settings, new Listener(session, meter),
            new ModeTotals());
        _sessions.Add(session, inner);
        _engine.OnOpened(inner, now);
    }

    public void OnClosed(ModeSession session, Instant now)
    {
        if (!_sessions.Remove(session, out ModeSession? inner)) return;
        inner.End();
        _engine.OnClosed(inner, now);
    }

    public void OnStepInstalled(InstalledStep step, Instant now) => _engine.OnStepInstalled(step, now);

    public void OnStepActivated(StepNumber step, Instant now) => _engine.OnStepActivated(step, now);

    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now) => _engine.OnNodesRemoved(nodes, now);

    public RejectReason OnDatagram(
        in DatagramHeader header, NodeInfo sender, ReadOnlySpan<byte> body, in Slice part, in Arrival arrival,
        Instant now)
    {
        EngineWork? work = header.Kind switch
        {
            DatagramKind.LateralData => EngineWork.TakePacket,
            DatagramKind.LateralRepair => EngineWork.TakeRepair,
            _ => null,
        };
        if (work is not { } kind) return _engine.OnDatagram(header, sender, body, part, arrival, now);
        meter.Begin();
        RejectReason reason = _engine.OnDatagram(header, sender, body, part, arrival, now);
        meter.End(kind);
        return reason;
    }

    public void Close() => _engine.Close();

    // The simulator's own checks of each delivery are no work of the engine.
    private sealed class Listener(ModeSession session, EngineMeter meter) : IDeliveryListener
    {
        public void OnMessages(NodeInfo sender, in DeliveryBatch batch, Instant now)
        {
            DeliveryBatch messages = batch;
            meter.Outside(() => session.Deliver(sender, messages, now));
        }

        public void OnLoss(NodeInfo sender, ulong first, ulong count, Instant now) =>
            OnLoss(sender, first, count, LossCause.SenderFailed, now);

        public void OnLoss(NodeInfo sender, ulong first, ulong count, LossCause cause, Instant now) =>
            meter.Outside(() => session.ReportLoss(sender, first, count, cause, now));

        public void OnSenderClosed(NodeInfo sender, Instant now) =>
            meter.Outside(() => session.CloseSender(sender, now));
    }
}
