using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// The lateral groups of one node: delivery on arrival, and repair among receivers.
/// <para>
/// Idea: what arrives is delivered at once, and goes into repairs for the other members, which combine packets of all
/// groups that two nodes share. So a lost packet is recovered in a time that depends on the traffic of the node, not on
/// that of one group. <see cref="LateralSending"/> sends, <see cref="LateralReceiving"/> receives and recovers,
/// <see cref="LateralDelivering"/> delivers, <see cref="LateralRepairing"/> builds repairs. <see cref="LateralSearch"/>
/// decides when to ask for what repairs do not give, <see cref="LateralAsking"/> asks and answers.
/// </para>
/// <para>
/// Core thread only. Source: Ricochet, section 3; deviations are listed in docs/modes.md.
/// </para>
/// </summary>
internal sealed class LateralEngine : IModeEngine
{
    /// <summary>The most bytes of packets kept for repairs, combinations and requests.</summary>
    public const long MostCacheBytes = 8L << 20;

    private readonly LateralParts _parts;

    /// <summary>Makes the engine of a node.</summary>
    /// <param name="context">What the stack gives it.</param>
    /// <param name="counters">Counts what it does.</param>
    /// <param name="cacheBytes">Bytes of packets kept.</param>
    public LateralEngine(ModeContext context, LateralCounters counters, long cacheBytes = MostCacheBytes) =>
        _parts = new LateralParts(context, counters, cacheBytes);

    /// <summary>The parts, for checks that look into them.</summary>
    internal LateralParts Parts => _parts;

    /// <inheritdoc/>
    public void OnOpened(ModeSession session, Instant now)
    {
        var settings = session.Settings as LateralSettings ?? new LateralSettings();
        LateralGroup group = _parts.FindGroup(session.Info.Id.Counter)
            ?? _parts.Add(new LateralGroup(session.Info.Id.Counter, settings));
        if (session.IsPublisher) group.Publisher = session;
        else (group.Member, group.Settings) = (session, settings);
        session.State = group;
    }

    /// <inheritdoc/>
    public void OnClosed(ModeSession session, Instant now)
    {
        Debug.Assert(session.State is LateralGroup, "the session has been opened");
        var group = (LateralGroup)session.State!;
        if (session.IsPublisher)
        {
            group.Publisher = null;
        }
        else
        {
            group.Member = null;
            _parts.Delivering.Forget(group);
        }
        if (group.Member is null && group.Publisher is null) _parts.Remove(group);
    }

    /// <inheritdoc/>
    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        _parts.Peers.Forget();
        _parts.Repairing.Rebuild();
        _parts.Receiving.OnStepInstalled(step.Number, now);
    }

    /// <inheritdoc/>
    public void OnStepActivated(StepNumber step, Instant now)
    {
        _parts.Sending.Detach();
        _parts.Reports.Detach();
    }

    /// <inheritdoc/>
    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        _parts.Repairing.Rebuild();
        for (int index = 0; index < nodes.Count; index++) _parts.Receiving.OnRemoved(nodes[index], now);
    }

    /// <inheritdoc/>
    public RejectReason OnDatagram(
        in DatagramHeader header, NodeInfo sender, ReadOnlySpan<byte> body, in Slice part, in Arrival arrival,
        Instant now) =>
        header.Kind switch
        {
            DatagramKind.LateralData => _parts.Receiving.OnData(sender, body, isResend: false, now),
            DatagramKind.LateralResend => _parts.Receiving.OnData(sender, body, isResend: true, now),
            DatagramKind.LateralRepair => _parts.Receiving.OnRepair(sender, body, now),
            DatagramKind.LateralNak => _parts.Asking.OnNak(header, sender, body, now),
            DatagramKind.LateralSession => _parts.Receiving.OnSession(sender, body, now),
            _ => RejectReason.UnknownKind,
        };

    /// <inheritdoc/>
    public void Close() => _parts.Close();
}
