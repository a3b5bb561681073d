using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Repairs;

/// <summary>
/// A repair in the form in which it leaves: a copy of the packet marked as a repair, or a note of its place for a
/// receiver that reads it in place. All members hold the same bytes of a lent packet. So a peer can send the note as
/// well as the packet's sender.
/// </summary>
internal readonly struct OutgoingRepair
{
    private readonly Slice _packet;
    private readonly NoteBody _note;

    private OutgoingRepair(in Slice packet, in NoteBody note)
    {
        _packet = packet;
        _note = note;
    }

    /// <summary>Length of the datagram.</summary>
    public int Length => _note.IsOffer ? _packet.Length : NoteBody.DatagramLength;

    /// <summary>
    /// How many repairs of this kind may be in a train whose general limit is <paramref name="datagrams"/>.
    /// </summary>
    public int MostInTrain(int datagrams) => _note.IsOffer ? datagrams : Train.MaxDatagrams;

    /// <summary>A repair for one node.</summary>
    /// <param name="packet">The packet; the reference stays the caller's.</param>
    /// <param name="memory">This node's shared memory; null: none.</param>
    /// <param name="reader">The <see cref="NodeNumber.Key"/> of the node.</param>
    public static OutgoingRepair For(in Slice packet, ISharedMemory? memory, ulong reader) =>
        memory is not null && memory.TryLocate(packet, out NoteBody note) && memory.IsReadBy(note.Segment, reader)
            ? new OutgoingRepair(packet, note)
            : new OutgoingRepair(packet, default);

    /// <summary>A repair for all members of a view.</summary>
    /// <param name="packet">The packet; the reference stays the caller's.</param>
    /// <param name="memory">This node's shared memory, if all members read it; else null.</param>
    public static OutgoingRepair ForAll(in Slice packet, ISharedMemory? memory) =>
        memory is not null && memory.TryLocate(packet, out NoteBody note)
            ? new OutgoingRepair(packet, note)
            : new OutgoingRepair(packet, default);

    /// <summary>Writes the datagram.</summary>
    /// <param name="place">Destination of <see cref="Length"/> bytes.</param>
    /// <param name="relay">This node's index in the view, when the packet is another's; null when it is its
    /// own.</param>
    public void WriteTo(Span<byte> place, int? relay)
    {
        if (_note.IsOffer)
        {
            _packet.Span.CopyTo(place);
            if (relay is { } index) DatagramHeader.MarkAsPeerRepair(place, index);
            else DatagramHeader.MarkAsRepair(place);
            return;
        }
        RejectReason reason = DatagramHeader.TryRead(_packet.Span, out DatagramHeader header);
        System.Diagnostics.Debug.Assert(reason == RejectReason.None, "a kept packet is well-formed");
        header.Kind = DatagramKind.RepairNote;
        header.Flags = relay is null ? DatagramFlags.None : DatagramFlags.FromPeer;
        header.Relay = (ushort)(relay ?? 0);
        _note.WriteTo(place[DatagramHeader.Length..]);
        header.WriteTo(place);
    }
}
