using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Reads notes: datagrams that name packets in the memory of their sender, or offer such memory. It borrows the packets
/// and passes them on as if they had come themselves. Core thread only.
/// </summary>
internal sealed class NoteReader(StackParts rooms, PacketIntake packets)
{
    /// <summary>
    /// Takes a note. All its packets come from one source. Each has an outcome of its own, which is counted; the last
    /// one's is returned.
    /// </summary>
    public RejectReason Take(
        in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        if (!NoteList.TryRead(body, out NoteList notes)) return RejectReason.Malformed;
        if (header.Sequence > ulong.MaxValue - (ulong)notes.Count) return RejectReason.Malformed;
        bool isRepair = header.Kind == DatagramKind.RepairNote;
        if (isRepair && (notes.IsOffer || notes.Count > 1)) return RejectReason.Malformed;
        if (rooms.Host.Transport.SharedMemory is not { } memory) return RejectReason.None;
        RegionRecovery? region = rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        if (region is not null && !region.State.MaySend(header, arrival)) return RejectReason.WrongSource;
        if (notes.IsOffer)
        {
            return region is null
                ? RejectReason.UnknownView
                : region.OnOffer(header, arrival, notes.Segment, memory);
        }
        DatagramHeader single = header;
        for (int index = 0; index < notes.Count - 1; index++)
        {
            RejectReason reason = TakeLent(single, notes[index], memory, arrival, now);
            if (reason == RejectReason.WrongSource) return reason;
            rooms.Rejected.Count(reason);
            single.Sequence++;
        }
        return TakeLent(single, notes[notes.Count - 1], memory, arrival, now);
    }

    // A packet that is not at its place is a loss that the note announces, or is stable and needed by nobody here.
    private RejectReason TakeLent(
        in DatagramHeader header, in NoteBody note, ISharedMemory memory, in Arrival arrival, Instant now)
    {
        RegionRecovery? region = rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        if (!memory.TryBorrow(note, out Slice packet))
        {
            rooms.Probes.Reached("a note names a packet that is not there");
            if (header.Kind == DatagramKind.RepairNote) return RejectReason.NotThere;
            RejectReason reason = region is null ? RejectReason.UnknownView : region.OnBeacon(header, arrival, now);
            return reason == RejectReason.None ? RejectReason.NotThere : reason;
        }
        RejectReason outcome = DatagramHeader.TryRead(
            packet.Span, rooms.Versions, out DatagramHeader lent);
        // The source is checked in a known view only: elsewhere a note that names another packet may come from anybody.
        if (outcome == RejectReason.None && !Matches(lent, header, packet.Length))
            outcome = region is null ? RejectReason.UnknownView : RejectReason.Malformed;
        if (outcome == RejectReason.None)
        {
            if (header.Kind == DatagramKind.RepairNote)
            {
                rooms.Probes.Reached("a packet that is sent again is read in place");
                lent.BecomeRepair(header);
            }
            outcome = packets.Take(region, lent, packet.Span, packet, arrival, now);
        }
        packet.Release();
        return outcome;
    }

    private static bool Matches(in DatagramHeader lent, in DatagramHeader note, int length) =>
        lent.Kind == DatagramKind.Data
        && lent.TotalLength == length
        && lent.Cluster == note.Cluster
        && lent.Sender == note.Sender
        && lent.ViewTag == note.ViewTag
        && lent.ViewCounter == note.ViewCounter
        && lent.Sequence == note.Sequence;
}
