using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Passes packets to the recovery of their view, however they came: as datagrams of their own, lent, or derived from
/// hybrid ones. A packet whose view is not installed here yet is kept for a short while. Core thread only.
/// </summary>
internal sealed class PacketIntake
{
    private readonly StackParts _rooms;
    private readonly Alarm _expiry;

    public PacketIntake(StackParts rooms)
    {
        _rooms = rooms;
        _expiry = new Alarm(rooms.Host.Alarms, Expire);
    }

    /// <summary>Takes a packet whose header is good.</summary>
    /// <param name="region">The view it is of; null when that is not installed here.</param>
    /// <param name="header">Its header.</param>
    /// <param name="datagram">All its bytes.</param>
    /// <param name="part">The same bytes in pooled memory, where they can be kept; empty when they must be
    /// copied.</param>
    /// <param name="arrival">Its source and socket.</param>
    /// <param name="now">The time of arrival.</param>
    /// <returns>The reason it was dropped, or <see cref="RejectReason.None"/>.</returns>
    public RejectReason Take(
        RegionRecovery? region,
        in DatagramHeader header,
        ReadOnlySpan<byte> datagram,
        in Slice part,
        in Arrival arrival,
        Instant now)
    {
        if (!header.PayloadIsIntact(datagram)) return RejectReason.PayloadChecksum;
        if (region is not null) return region.OnPacket(header, datagram, part, arrival, now);
        return Park(header, arrival, datagram, now);
    }

    /// <summary>
    /// Keeps a packet whose view may not be installed here yet. Packets that wait too long, or do not fit, are
    /// recovered like any loss.
    /// </summary>
    public RejectReason Park(
        in DatagramHeader header, in Arrival arrival, ReadOnlySpan<byte> datagram, Instant now)
    {
        bool hasRetired = _rooms.Views.HasRetired(header.ViewTag, header.ViewCounter);
        bool isKept = header.Kind == DatagramKind.Data || (_rooms.Keys is not null && IsKeptSealed(header.Kind));
        if (!isKept || hasRetired) return RejectReason.UnknownView;
        if (!_rooms.Unrecognised.TryAdd(header.ViewTag, header.ViewCounter, arrival, datagram, now))
        {
            return RejectReason.NoRoom;
        }
        _expiry.SetIfEarlier(_rooms.Unrecognised.NextExpiry);
        return RejectReason.None;
    }

    /// <summary>Drops what is kept.</summary>
    public void Close()
    {
        _expiry.Cancel();
        _rooms.Unrecognised.Close();
    }

    // What unsealed is taken, or kept by its room, although its view is not installed.
    private static bool IsKeptSealed(DatagramKind kind) =>
        kind is DatagramKind.Note or DatagramKind.LateralData or DatagramKind.TimedData;

    private void Expire(Instant now)
    {
        _rooms.Unrecognised.Expire(now);
        if (_rooms.Unrecognised.NextExpiry != Instant.Never) _expiry.Set(_rooms.Unrecognised.NextExpiry);
    }
}
