using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>
/// What a whole node does with notes that are no good, or name what is not what they say: it counts them by their
/// reason and drops them, holds nothing of the memory they name, allocates nothing, and goes on as if they had not
/// come.
/// </summary>
public sealed class BadNoteTests
{
    private const ulong Nobody = 0xDEAD;

    private static readonly Dictionary<string, Func<StackNotes, (RejectReason Reason, byte[] Datagram)>> Bad = new()
    {
        ["a body too short"] = static notes =>
            (RejectReason.Malformed, notes.Datagram(DatagramKind.Note, 2, new byte[NoteBody.Length - 1])),
        ["a body too long"] = static notes =>
            (RejectReason.Malformed, notes.Datagram(DatagramKind.Note, 2, new byte[NoteBody.Length + 1])),
        ["a body of half a place more"] = static notes =>
            (RejectReason.Malformed,
                notes.Datagram(DatagramKind.Note, 2, new byte[NoteBody.Length + (LentPlace.Bytes / 2)])),
        ["no place at all"] = static notes =>
            (RejectReason.Malformed,
                notes.Datagram(DatagramKind.Note, 2, new byte[NoteBody.Length - LentPlace.Bytes])),
        ["too many places"] = static notes =>
            (RejectReason.Malformed, notes.NoteOf(2, Same(notes, NoteList.MostPlaces + 1))),
        ["an offer behind a packet"] = static notes =>
            (RejectReason.Malformed, notes.NoteOf(2, notes.Place(notes.Packet(2)), Offer(notes))),
        ["an offer ahead of a packet"] = static notes =>
            (RejectReason.Malformed, notes.NoteOf(1, Offer(notes), notes.Place(notes.Packet(2)))),
        ["a second place below zero"] = static notes =>
            (RejectReason.Malformed,
                notes.NoteOf(2, notes.Place(notes.Packet(2)), At(notes, static place => place with { Offset = -1 }))),
        ["sequences beyond the last"] = static notes =>
            (RejectReason.Malformed, notes.NoteOf(ulong.MaxValue - 1, Same(notes, 3))),
        ["two packets, again"] = static notes =>
            (RejectReason.Malformed,
                notes.NoteOf(
                    DatagramKind.RepairNote, 2, notes.Place(notes.Packet(2)), notes.Place(notes.Packet(3)))),
        ["a length below a header's"] = static notes =>
            (RejectReason.Malformed, notes.Note(2, notes.Place(notes.Packet(2), DatagramHeader.Length - 1))),
        ["an offset below zero"] = static notes => (
            RejectReason.Malformed, notes.Note(2, At(notes, static place => place with { Offset = -1 }))),
        ["a sender nobody knows"] = static notes =>
            (RejectReason.UnknownSender, notes.Note(2, notes.Place(notes.Packet(2, sender: Nobody)), sender: Nobody)),
        ["a sender nobody knows, nothing there"] = static notes =>
            (RejectReason.UnknownSender,
                notes.Note(2, At(notes, static place => place with { Block = 99 }), sender: Nobody)),
        ["a view nobody knows, nothing there"] = static notes =>
            (RejectReason.UnknownView,
                notes.Note(2, At(notes, static place => place with { Block = 99 }), viewCounter: 999)),
        ["an offer from a sender nobody knows"] = static notes =>
            (RejectReason.UnknownSender, notes.Note(2, new NoteBody(notes.Lent.Segment, default), sender: Nobody)),
        ["an offer in a view nobody knows"] = static notes =>
            (RejectReason.UnknownView, notes.Note(2, new NoteBody(notes.Lent.Segment, default), viewCounter: 999)),
        ["another packet"] = static notes => (RejectReason.Malformed, notes.Note(2, notes.Place(notes.Packet(3)))),
        ["another sender's packet"] = static notes =>
            (RejectReason.Malformed, notes.Note(2, notes.Place(notes.Packet(2, sender: notes.Key(2))))),
        ["a packet of the node's own"] = static notes =>
            (RejectReason.Malformed, notes.Note(2, notes.Place(notes.Packet(2, sender: notes.Key(0))))),
        ["another view's packet"] = static notes => (
            RejectReason.Malformed, notes.Note(2, notes.Place(notes.Packet(2, viewCounter: 999)))),
        ["another tag's packet"] = static notes => (
            RejectReason.Malformed, notes.Note(2, notes.Place(notes.Packet(2, viewTag: 999)))),
        ["another cluster's packet"] = static notes => (
            RejectReason.Malformed, notes.Note(2, notes.Place(notes.Packet(2, cluster: 999)))),
        ["a repair"] = static notes => (
            RejectReason.Malformed, notes.Note(2, notes.Place(notes.Packet(2, DatagramKind.Repair)))),
        ["a beacon"] = static notes => (
            RejectReason.Malformed, notes.Note(2, notes.Place(notes.Datagram(DatagramKind.Beacon, 2, [])))),
        ["a note"] = static notes => (
            RejectReason.Malformed, notes.Note(2, notes.Place(notes.Note(2, notes.Place(notes.Packet(2)))))),
        ["a token"] = static notes => (
            RejectReason.Malformed, notes.Note(2, notes.Place(notes.Datagram(DatagramKind.Token, 2, new byte[20])))),
        ["a packet shorter than was said"] = static notes =>
            (RejectReason.Malformed, notes.Note(2, notes.Place(notes.Packet(2), notes.Packet(2).Length + 1))),
        ["a packet longer than was said"] = static notes =>
            (RejectReason.WrongLength, notes.Note(2, notes.Place(notes.Packet(2), notes.Packet(2).Length - 1))),
        ["no datagram at all"] = static notes => (RejectReason.WrongMagic, notes.Note(2, notes.Place(new byte[100]))),
        ["a damaged header"] = static notes => (
            RejectReason.HeaderChecksum, notes.Note(2, notes.Place(Damage(notes.Packet(2), 33)))),
        ["a damaged payload"] = static notes => (
            RejectReason.PayloadChecksum, notes.Note(2, notes.Place(Damage(notes.Packet(2), 55)))),
        ["a packet for a group that is not"] = static notes => (
            RejectReason.Malformed, notes.Note(2, notes.Place(notes.Packet(2, group: 77)))),
        ["a packet beyond all reason"] = static notes =>
            (RejectReason.BeyondWindow, notes.Note(1UL << 40, notes.Place(notes.Packet(1UL << 40)))),
        ["beyond all reason, nothing there"] = static notes =>
            (RejectReason.BeyondWindow, notes.Note(1UL << 40, At(notes, static place => place with { Block = 99 }))),
        ["a packet zero"] = static notes => (RejectReason.Malformed, notes.Note(0, notes.Place(notes.Packet(0)))),
        ["another packet, again"] = static notes => (
            RejectReason.Malformed, notes.RepairNote(2, notes.Place(notes.Packet(3)))),
        ["a repair, again"] = static notes => (
            RejectReason.Malformed, notes.RepairNote(2, notes.Place(notes.Packet(2, DatagramKind.Repair)))),
        ["nothing there, again"] = static notes =>
            (RejectReason.NotThere, notes.RepairNote(2, At(notes, static place => place with { Block = 99 }))),
        ["a packet again, from the node itself"] = static notes =>
            (RejectReason.UnknownSender, notes.RepairNote(2, notes.Place(notes.Packet(2)), peer: 0)),
        ["a block that is not"] = static notes => (
            RejectReason.NotThere, notes.Note(1, At(notes, static place => place with { Block = 99 }))),
        ["a place beyond the block"] = static notes =>
            (RejectReason.NotThere, notes.Note(1, At(notes, static place => place with { Offset = int.MaxValue }))),
        ["an earlier use of the block"] = static notes =>
            (RejectReason.NotThere,
                notes.Note(1, At(notes, static place => place with { Generation = place.Generation - 1 }))),
        ["memory that is not open"] = static notes =>
            (RejectReason.NotThere,
                notes.Note(1, At(notes, static place => place) with { Segment = new SegmentName(404, 1, 1) })),
    };

    private readonly StackNotes _notes = new();

    public static TheoryData<string> Names => [.. Bad.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void IsRefusedAndChangesNothing(string what)
    {
        (RejectReason reason, byte[] datagram) = Bad[what](_notes);
        Expect(reason, SocketRole.Unicast, datagram);
        // The group lives on, the packet that was meant included.
        _notes.World.Nodes[1].Say("news", "still here");
        _notes.World.RunFor(TimeSpan.FromSeconds(1));
        Assert.EndsWith("still here", _notes.Node.Heard[^1], StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void CostsNoMemory(string what)
    {
        (_, byte[] datagram) = Bad[what](_notes);
        NetEndpoint source = _notes.World.SourceOf(datagram, SocketRole.Unicast);
        var completion = new Completion(
            SocketRole.Unicast, PriorityClass.Data, null, datagram, 0, datagram.Length)
        { Source = source };
        void Take()
        {
            Completion read = completion;
            _notes.Node.Stack.Handle(ref read, _notes.World.Now);
        }

        Take();
        Assert.Equal(0, AllocatedBytes.Of(Take));
        Assert.Equal(0, _notes.Own.References);
    }

    [Fact]
    public void ANoteOnTheControlSocketIsRefused() =>
        Expect(RejectReason.WrongSocket, SocketRole.Control, _notes.Note(2, _notes.Place(_notes.Packet(2))));

    [Fact]
    public void ANodeWithoutSharedMemoryIgnoresNotesAndOffers()
    {
        _notes.Node.SharedMemory = null;
        Expect(RejectReason.None, SocketRole.Unicast, _notes.Note(2, _notes.Place(_notes.Packet(2))));
        Expect(RejectReason.None, SocketRole.Unicast, _notes.Note(2, new NoteBody(_notes.Lent.Segment, default)));
    }

    [Fact]
    public void OnesOwnNotesComeBackAndAreIgnored() =>
        Expect(
            RejectReason.None, SocketRole.Unicast,
            _notes.Note(2, _notes.Place(_notes.Packet(2, sender: _notes.Key(0))), sender: _notes.Key(0)));

    [Fact]
    public void ARemovedPeersNoteOfARepairIsRefused()
    {
        byte[] note = _notes.RepairNote(2, _notes.Place(_notes.Packet(2)), peer: 2);
        _notes.Node.Stack.Cluster.FindNode(_notes.Key(2))!.IsRemoved = true;
        Expect(RejectReason.RemovedSender, SocketRole.Unicast, note);
    }

    [Fact]
    public void ARemovedSendersNotesAndOffersAreRefused()
    {
        byte[] note = _notes.Note(2, _notes.Place(_notes.Packet(2)));
        _notes.Node.Stack.Cluster.FindNode(_notes.Key(1))!.IsRemoved = true;
        foreach (byte[] datagram in (byte[][])[note, _notes.Note(2, new NoteBody(_notes.Lent.Segment, default))])
            _notes.Node.Take(datagram, SocketRole.Unicast);
        Assert.Equal(2UL, _notes.Node.Stack.Counters.Rejected[RejectReason.RemovedSender]);
        Assert.Equal(0, _notes.Own.References);
        Assert.Single(_notes.Own.Attaches);
    }

    private void Expect(RejectReason reason, SocketRole role, byte[] datagram)
    {
        StackNode node = _notes.Node;
        // A note of what is not there is the sender's word on its highest sequence, which a leader may answer.
        bool mayAnswer = reason == RejectReason.NotThere;
        object before = State(node, mayAnswer);
        ulong total = node.Stack.Counters.Rejected.Total;

        node.Take(datagram, role);
        node.Stack.PullAll(_notes.World.Now);

        if (reason != RejectReason.None) Assert.Equal(1UL, node.Stack.Counters.Rejected[reason]);
        Assert.Equal(total + (reason == RejectReason.None ? 0UL : 1UL), node.Stack.Counters.Rejected.Total);
        Assert.Equal(before, State(node, mayAnswer));
        Assert.Equal(0, _notes.Own.References);
        Assert.Single(_notes.Own.Attaches);
    }

    private static object State(StackNode node, bool mayAnswer) => (
        node.Heard.Count,
        mayAnswer ? 0 : node.Stack.Rooms.Roots.Counters.TotalBytes,
        node.Stack.Counters.CachedBytes,
        node.Stack.Counters.PacketsReceived,
        node.Stack.Counters.PacketsDuplicate,
        node.Stack.Counters.PacketsMissed,
        node.Pool.OutstandingChunks);

    // A good place, changed.
    private static NoteBody At(StackNotes notes, Func<LentPlace, LentPlace> change)
    {
        NoteBody good = notes.Place(notes.Packet(2));
        return good with { Place = change(good.Place) };
    }

    private static NoteBody[] Same(StackNotes notes, int count) =>
        [.. Enumerable.Repeat(notes.Place(notes.Packet(2)), count)];

    private static NoteBody Offer(StackNotes notes) => new(notes.Lent.Segment, default);

    private static byte[] Damage(byte[] datagram, int at)
    {
        datagram[at] ^= 0x40;
        return datagram;
    }
}
