using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// E1, and all other checks that look at datagrams: every datagram that a node sends is whole, is part of the trace,
/// and is shown with what nodes read to the checks it concerns. K5: none goes where no node is, wherever strangers have
/// sent from. O(1) per datagram beside what these cost.
/// </summary>
/// <param name="run">The run.</param>
/// <param name="checks">Who is shown what.</param>
/// <param name="nodes">All nodes by index; the list grows.</param>
/// <param name="isConcerned">True for a node that must keep its promises.</param>
/// <param name="copies">R6.</param>
internal sealed class TrafficChecks(
    RunContext run, ClusterChecks checks, IReadOnlyList<SimulatedNode> nodes, Func<SimulatedNode, bool> isConcerned,
    CopyChecks copies)
    : INetworkObserver
{
    private readonly PartsRead _parts = new();

    /// <summary>Datagrams handed to the network.</summary>
    public ulong Sent { get; private set; }

    /// <summary>Of these, those of nodes that must keep their promises.</summary>
    public ulong SentOfConcern { get; private set; }

    /// <inheritdoc/>
    public void OnSent(int node, ReadOnlySpan<byte> datagram, NetEndpoint to, Instant now)
    {
        Sent++;
        if (isConcerned(nodes[node])) SentOfConcern++;
        run.Tap?.OnDatagram(datagram);
        run.Trace.Add(TraceKind.Datagram, now, ((ulong)node << 32) | (uint)datagram.Length, Crc32C.Of(datagram));
        RejectReason reason = DatagramHeader.TryRead(datagram, out DatagramHeader header);
        if (reason != RejectReason.None || header.TotalLength != datagram.Length)
        {
            throw run.Violation(
                "E1", $"node {node} sent a datagram of {datagram.Length} bytes that is not whole: {reason}");
        }
        if (!to.IsNone && Forgery.IsForged(to))
            throw run.Violation("K5", $"node {node} sent a {header.Kind} to {to}, where there is no node");
        checks.Versions.OnSent(node, header, checks.Views.FindView(header.ViewTag, header.ViewCounter));
        checks.Budgets.OnSent(node, header);
        checks.Repeats.OnSent(node, header, to);
        if (header.Kind is not (DatagramKind.Token or DatagramKind.Data or DatagramKind.Hybrid)) return;
        // The turn that installed the view need not have ended.
        nodes[node].CheckViews();
        if (header.Kind == DatagramKind.Token) checks.Tokens.OnToken(node, header, datagram, checks.Lives);
        else if (header.Kind == DatagramKind.Data) checks.Stability.OnData(node, header, datagram);
        else if (!HybridsSent.TryShow(header, datagram, checks.Views, (_, packet) => OnDerived(node, packet)))
            throw run.Violation("E1", $"node {node} sent a hybrid packet that is not well-formed");
    }

    /// <inheritdoc/>
    public void OnLent(int node, ReadOnlySpan<byte> packet, Instant now)
    {
        RejectReason reason = DatagramHeader.TryRead(packet, out DatagramHeader header);
        if (reason != RejectReason.None || header.TotalLength != packet.Length
            || header.Kind is not (DatagramKind.Data or DatagramKind.Repair))
            throw run.Violation("E1", $"node {node} sent a note of {packet.Length} bytes that are no packet: {reason}");
        run.Trace.Add(TraceKind.Datagram, now, ((ulong)node << 32) | (uint)packet.Length, Crc32C.Of(packet));
        checks.Budgets.OnSent(node, header);
        if (header.Kind != DatagramKind.Data) return;
        nodes[node].CheckViews();
        checks.Stability.OnData(node, header, packet);
    }

    /// <inheritdoc/>
    public void OnRead(int node, ReadOnlySpan<byte> datagram, bool damaged, Instant now)
    {
        if (DatagramHeader.TryRead(datagram, out DatagramHeader header) != RejectReason.None) return;
        if (header.Kind == DatagramKind.RepairPart)
        {
            checks.Budgets.OnRead(node, datagram.Length);
            if (_parts.Add(node, header, datagram)) checks.Stability.OnPacketRead(node, header);
            return;
        }
        if (header.Kind == DatagramKind.Hybrid)
        {
            checks.Budgets.OnRead(node, datagram.Length);
            // Harm may have added bytes behind it.
            ReadOnlySpan<byte> whole = datagram[..header.TotalLength];
            if (!damaged || run.Tap is null)
                HybridsSent.TryShow(header, whole, checks.Views, (view, packet) => OnDerivedRead(node, view, packet));
            return;
        }
        bool isNote = DatagramKinds.IsNote(header.Kind);
        if (!damaged) copies.OnProbeRead(node, header);
        if (!isNote && !DatagramKinds.CarriesPacket(header.Kind)) return;
        checks.Budgets.OnRead(node, datagram.Length);
        // What a tap has added may be a lie with the right checksums: nobody has sent it.
        if (damaged && (run.Tap is not null || !(isNote || header.PayloadIsIntact(datagram)))) return;
        ReadOnlySpan<byte> body = datagram[DatagramHeader.Length..header.TotalLength];
        int packets = isNote && NoteList.TryRead(body, out NoteList notes) ? notes.Count : 1;
        for (; packets > 0; packets--)
        {
            checks.Stability.OnPacketRead(node, header);
            header.Sequence++;
        }
    }

    private void OnDerived(int node, byte[] packet)
    {
        _ = DatagramHeader.TryRead(packet, out DatagramHeader header);
        checks.Versions.OnSent(node, header, checks.Views.FindView(header.ViewTag, header.ViewCounter));
        checks.Stability.OnData(node, header, packet);
    }

    // A member takes the packet of its own region.
    private void OnDerivedRead(int node, RegionViewFacts view, byte[] packet)
    {
        _ = DatagramHeader.TryRead(packet, out DatagramHeader header);
        if (view.Members.Contains(node)) checks.Stability.OnPacketRead(node, header);
    }
}
