using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// The cap on messages that are held because earlier ones are missing: decides which packets may be counted as
/// received. A refused packet is treated as lost, and is repaired later. Core thread only. A packet under the cap is
/// not parsed, one over it is. Allocates only as much as <see cref="OverLimitAllowance"/>.
/// </summary>
internal sealed class ReorderLimit
{
    private readonly DeliverySettings _settings;
    private readonly DeliveryCounters _counters;
    private readonly DeliveryViews _views;

    internal ReorderLimit(DeliverySettings settings, DeliveryCounters counters, DeliveryViews views)
    {
        _settings = settings;
        _counters = counters;
        _views = views;
    }

    /// <summary>The step installed last.</summary>
    internal StepNumber Installed { get; set; }

    /// <summary>
    /// Upper bound of the charge of packets taken over the limit, as if none were in batches. For checks: examines all
    /// of them.
    /// </summary>
    internal long ChargeBeyondCap => _views.ChargeBeyondCap();

    /// <summary>True when <paramref name="bytes"/> more may be held; otherwise packets need not be requested.</summary>
    public bool Allows(int bytes) => _counters.HeldBytes + bytes + HeldBatch.Overhead <= _settings.MaxHeldBytes;

    /// <summary>
    /// True when a packet may be counted as received. Under the cap always. Over it only if it advances an order, by a
    /// message or fragment that is the next of its cursor, or if nothing of it would have to be held. So held messages
    /// can always drain. Packets of a removed sender are always taken, because nothing drains past a gap before all of
    /// them are here; they are limited by what a sender may have pending.
    /// </summary>
    /// <param name="view">The view it came in.</param>
    /// <param name="sender">Its sender.</param>
    /// <param name="datagram">The whole datagram, found well formed.</param>
    public bool Allows(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram)
    {
        if (sender.IsRemoved || Allows(datagram.Length)) return true;
        var reader = new WireReader(datagram[DatagramHeader.Length..]);
        StepNumber step = Deliverer.ReadStep(view, ref reader);
        if (step > Installed) return false;
        GroupReceiver?[] groups = _views.Of(view).ByIndex;
        bool held = false;
        while (PacketRecord.TryRead(ref reader, datagram.Length, view.Number.Epoch, out PacketRecord record))
        {
            if (groups[record.GroupIndex] is not { } group || step < group.SessionBegan) continue;
            ulong next = group.Find(sender)?.Next ?? 0;
            if (record.Covers(next) || (next == 0 && Deliverer.MayStart(group, record))) return true;
            held |= record.Number > next;
        }
        return !held;
    }

    /// <summary>
    /// Takes a packet for which there is no room, if it is of an installed step and its stream's allowance permits: see
    /// <see cref="OverLimitAllowance"/>.
    /// </summary>
    /// <param name="view">The view it came in.</param>
    /// <param name="sender">Its sender.</param>
    /// <param name="datagram">The whole datagram, found well formed: one of the few that follow the last before its
    /// stream's first gap.</param>
    /// <returns>True when it is taken, and noted: it must be received now.</returns>
    public bool TryTakeBeyondCap(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram)
    {
        var reader = new WireReader(datagram[DatagramHeader.Length..]);
        StepNumber step = Deliverer.ReadStep(view, ref reader);
        if (step > Installed || !MayTakeBeyondCap(view, sender)) return false;
        ViewGroups known = _views.Of(view);
        SenderCursor? last = null;
        ulong number = 0;
        long charge = 0;
        while (PacketRecord.TryRead(ref reader, datagram.Length, view.Number.Epoch, out PacketRecord record))
        {
            if (known.ByIndex[record.GroupIndex] is not { } group || step < group.SessionBegan) continue;
            SenderCursor cursor = group.CursorOf(sender);
            if (record.Highest <= cursor.Next) continue;
            last = cursor;
            number = record.Highest;
            charge += record.Bytes.Length + ((long)record.Count * HeldBatch.Overhead);
        }
        if (last is not null) known.BeyondCapOf(sender).Add(last, number, charge);
        return true;
    }

    /// <summary>
    /// True when one more packet of a stream may be taken over the limit; otherwise none need be requested.
    /// </summary>
    public bool MayTakeBeyondCap(RegionView view, NodeInfo sender) =>
        _views.Of(view).FindBeyondCap(sender)?.HasRoom ?? true;
}
