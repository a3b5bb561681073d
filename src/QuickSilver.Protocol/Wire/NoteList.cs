namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.Note"/>: the places of packets in one segment, whose sequences follow each other.
/// The datagram's sequence is the first one's. One datagram for all packets of a train is one call of the cipher.
/// <code>
/// off len field
///   0  16 segment      as in <see cref="NoteBody"/>
///  16  16 place        of the first packet, and of each packet after it
/// </code>
/// A list of one place is a <see cref="NoteBody"/>. An offer is alone. A view of the datagram's bytes: valid as long as
/// they are. Allocates nothing.
/// </summary>
internal readonly ref struct NoteList
{
    /// <summary>The most places in a datagram.</summary>
    public const int MostPlaces = 16;

    private readonly ReadOnlySpan<byte> _places;

    private NoteList(SegmentName segment, ReadOnlySpan<byte> places)
    {
        Segment = segment;
        _places = places;
    }

    /// <summary>The segment.</summary>
    public SegmentName Segment { get; }

    /// <summary>Number of places, 1 to <see cref="MostPlaces"/>.</summary>
    public int Count => _places.Length / LentPlace.Bytes;

    /// <summary>True when no packet is meant: every receiver that can should open the segment.</summary>
    public bool IsOffer => Count == 1 && this[0].IsOffer;

    /// <summary>The note of one packet. O(1).</summary>
    /// <param name="index">From 0, below <see cref="Count"/>.</param>
    public NoteBody this[int index]
    {
        get
        {
            _ = LentPlace.TryRead(_places[(index * LentPlace.Bytes)..], out LentPlace place);
            return new NoteBody(Segment, place);
        }
    }

    /// <summary>Bytes of a whole datagram with so many places.</summary>
    public static int DatagramLength(int places) =>
        DatagramHeader.Length + NoteBody.PlaceOffset + (places * LentPlace.Bytes);

    /// <summary>Writes one note. That of the first packet also writes the segment; all have the same.</summary>
    /// <param name="body">The whole body.</param>
    /// <param name="index">Position of the packet, from 0.</param>
    /// <param name="note">Its note.</param>
    public static void Write(Span<byte> body, int index, in NoteBody note)
    {
        if (index == 0) note.WriteTo(body);
        else note.Place.WriteTo(body[(NoteBody.PlaceOffset + (index * LentPlace.Bytes))..]);
    }

    /// <summary>Reads a body. O(places).</summary>
    /// <param name="body">The body; the list refers to it.</param>
    /// <param name="notes">The notes. The places they name may not exist.</param>
    /// <returns>False when the body is malformed.</returns>
    public static bool TryRead(ReadOnlySpan<byte> body, out NoteList notes)
    {
        notes = default;
        int bytes = body.Length - NoteBody.PlaceOffset;
        if (bytes is < LentPlace.Bytes or > MostPlaces * LentPlace.Bytes || bytes % LentPlace.Bytes != 0) return false;
        ReadOnlySpan<byte> places = body[NoteBody.PlaceOffset..];
        for (int at = 0; at < bytes; at += LentPlace.Bytes)
        {
            if (!LentPlace.TryRead(places[at..], out LentPlace place)) return false;
            if (place.Length == 0 && bytes > LentPlace.Bytes) return false;
        }
        notes = new NoteList(NoteBody.SegmentIn(body), places);
        return true;
    }
}
