using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>What a whole node does with notes: it delivers and keeps packets where their sender wrote them, and lets go
/// of them when they are stable; it opens memory that members offer.</summary>
public sealed class LentPacketTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly StackNotes _notes = new();

    [Fact]
    public void AMembersOfferIsTakenInThisNodesName()
    {
        Assert.Equal([(_notes.Lent.Segment, _notes.Key(0))], _notes.Own.Attaches);
        Assert.True(_notes.Lent.IsReadBy(_notes.Key(0)));
        // Somebody's whose memory cannot be opened here.
        var other = new SegmentName(404, 1, 1);
        _notes.Node.Take(_notes.Note(1, new NoteBody(other, default), sender: _notes.Key(2)), SocketRole.Unicast);
        Assert.Equal((other, _notes.Key(0)), _notes.Own.Attaches[^1]);
        Assert.Equal(0UL, _notes.Node.Stack.Counters.Rejected.Total);
    }

    [Fact]
    public void APacketIsDeliveredAndKeptWhereItLiesUntilItIsStable()
    {
        byte[] packet = _notes.SayUnheard("in place");
        byte[] note = Note(packet);
        ulong received = _notes.Node.Stack.Counters.PacketsReceived;
        long cached = _notes.Node.Stack.Counters.CachedBytes;
        int chunks = _notes.Node.Pool.OutstandingChunks;
        _notes.Node.Take(note, SocketRole.Unicast);

        Assert.Equal("news/n1/2: in place", _notes.Node.Heard[^1]);
        Assert.Equal(received + 1, _notes.Node.Stack.Counters.PacketsReceived);
        Assert.Equal(cached + packet.Length, _notes.Node.Stack.Counters.CachedBytes);
        Assert.Equal(chunks, _notes.Node.Pool.OutstandingChunks);
        Assert.Equal(1, _notes.Own.References);

        _notes.World.RunFor(5 * Second);
        Assert.Equal(0, _notes.Own.References);
        Assert.Equal(0UL, _notes.Node.Stack.Counters.Rejected.Total);
        Assert.Equal(0UL, _notes.Node.Stack.Counters.PacketsMissed);
    }

    [Fact]
    public void TheSameNoteAgainIsADuplicateAndHoldsNothing()
    {
        byte[] note = Note(_notes.SayUnheard("once"));
        int heard = _notes.Node.Heard.Count;
        for (int time = 0; time < 3; time++) _notes.Node.Take(note, SocketRole.Unicast);
        Assert.Equal((1, 2UL), (_notes.Own.References, _notes.Node.Stack.Counters.PacketsDuplicate));
        _notes.World.RunFor(5 * Second);
        _notes.Node.Take(note, SocketRole.Unicast);

        Assert.Equal((0, 3UL), (_notes.Own.References, _notes.Node.Stack.Counters.PacketsDuplicate));
        Assert.Equal(heard + 1, _notes.Node.Heard.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ARepairIsReadWhereItLiesToo(bool fromPeer)
    {
        byte[] packet = _notes.SayUnheard("again");
        byte[] before = [.. packet];
        NoteBody place = _notes.Place(packet);
        int chunks = _notes.Node.Pool.OutstandingChunks;
        _notes.Node.Take(_notes.RepairNote(2, place, fromPeer ? 2 : null), SocketRole.Unicast);

        Assert.Equal("news/n1/2: again", _notes.Node.Heard[^1]);
        Assert.Equal(fromPeer ? 1UL : 0, _notes.Node.Stack.Counters.RepairsFromPeers);
        Assert.Equal(fromPeer ? 0 : 1UL, _notes.Node.Stack.Counters.RepairsFromSenders);
        Assert.Equal((1, chunks), (_notes.Own.References, _notes.Node.Pool.OutstandingChunks));
        Assert.Equal(before, _notes.Lent.At(place.Place).ToArray());
        _notes.World.RunFor(5 * Second);
        Assert.Equal(0, _notes.Own.References);
    }

    [Fact]
    public void ARepairThatIsNotThereSaysNothingOfItsSendersHighest()
    {
        NoteBody place = _notes.Place(_notes.SayUnheard("not there"));
        _notes.Node.Take(
            _notes.RepairNote(2, place with { Place = place.Place with { Block = 99 } }), SocketRole.Unicast);

        Assert.Equal(1UL, _notes.Node.Stack.Counters.Rejected[RejectReason.NotThere]);
        Assert.Equal(0UL, _notes.Node.Stack.Counters.PacketsMissed);
    }

    [Fact]
    public void APacketThatIsNotThereIsALossOfWhichItsNoteTells()
    {
        byte[] packet = _notes.SayUnheard("not there");
        NoteBody place = _notes.Place(packet);
        place = place with { Place = place.Place with { Generation = 7 } };
        _notes.Node.Take(_notes.Note(2, place), SocketRole.Unicast);

        Assert.Equal(1UL, _notes.Node.Stack.Counters.Rejected[RejectReason.NotThere]);
        Assert.Equal(1UL, _notes.Node.Stack.Counters.Rejected.Total);
        Assert.Equal(1UL, _notes.Node.Stack.Counters.PacketsMissed);
        Assert.Equal(0, _notes.Own.References);
        _notes.World.RunFor(5 * Second);
        Assert.Equal("news/n1/2: not there", _notes.Node.Heard[^1]);
    }

    [Fact]
    public void OneNoteTellsOfSeveralPackets()
    {
        NoteBody[] places = [.. Enumerable.Range(2, 4).Select(next => _notes.Place(_notes.Packet((ulong)next)))];
        int heard = _notes.Node.Heard.Count;
        _notes.Node.Take(_notes.NoteOf(2, places), SocketRole.Unicast);

        Assert.Equal((heard + 4, 4), (_notes.Node.Heard.Count, _notes.Own.References));
        Assert.Equal(0UL, _notes.Node.Stack.Counters.Rejected.Total);
        _notes.Node.Take(_notes.NoteOf(2, places), SocketRole.Unicast);
        Assert.Equal((4UL, 4), (_notes.Node.Stack.Counters.PacketsDuplicate, _notes.Own.References));
    }

    [Fact]
    public void APacketOfANoteThatIsNoGoodTakesNoneOfTheOthersAway()
    {
        NoteBody[] places = [.. Enumerable.Range(2, 4).Select(next => _notes.Place(_notes.Packet((ulong)next)))];
        ulong received = _notes.Node.Stack.Counters.PacketsReceived;
        places[0] = places[0] with { Place = places[0].Place with { Generation = 7 } };
        places[2] = places[1];
        _notes.Node.Take(_notes.NoteOf(2, places), SocketRole.Unicast);

        RejectCounters rejected = _notes.Node.Stack.Counters.Rejected;
        Assert.Equal((1UL, 1UL), (rejected[RejectReason.NotThere], rejected[RejectReason.Malformed]));
        Assert.Equal((2UL, received + 2), (rejected.Total, _notes.Node.Stack.Counters.PacketsReceived));
    }

    [Fact]
    public void ANoteOfSeveralPacketsFromElsewhereIsRefusedOnce()
    {
        NoteBody[] places = [.. Enumerable.Range(2, 3).Select(next => _notes.Place(_notes.Packet((ulong)next)))];
        byte[] note = _notes.NoteOf(2, places);
        NetEndpoint source = _notes.World.SourceOf(note, SocketRole.Unicast);
        var read = new Completion(SocketRole.Unicast, PriorityClass.Data, null, note, 0, note.Length)
        {
            Source = source with { Address = source.Address.IPv4 + 1 },
        };
        _notes.Node.Stack.Handle(ref read, _notes.World.Now);

        Assert.Equal(1UL, _notes.Node.Stack.Counters.Rejected[RejectReason.WrongSource]);
        Assert.Equal((1UL, 0), (_notes.Node.Stack.Counters.Rejected.Total, _notes.Own.References));
    }

    [Fact]
    public void APacketOfAViewThatIsToComeIsCopiedAndWaits()
    {
        byte[] packet = _notes.Packet(1, viewCounter: 999);
        _notes.Node.Take(_notes.Note(1, _notes.Place(packet), viewCounter: 999), SocketRole.Unicast);

        Assert.Equal(0UL, _notes.Node.Stack.Counters.Rejected.Total);
        Assert.Equal(0, _notes.Own.References);
    }

    [Fact]
    public void ShutdownLetsGoOfWhatIsHeld()
    {
        _notes.Node.Take(Note(_notes.SayUnheard("the last")), SocketRole.Unicast);
        Assert.Equal(1, _notes.Own.References);
        _notes.Node.Stack.Shutdown(_notes.World.Now);

        Assert.Equal(0, _notes.Own.References);
        Assert.Equal(0, _notes.Node.Pool.OutstandingChunks);
    }

    // A note of a packet as node 1 would write it, had it lent it.
    private byte[] Note(byte[] packet)
    {
        Assert.Equal(RejectReason.None, DatagramHeader.TryRead(packet, out DatagramHeader header));
        return _notes.Note(header.Sequence, _notes.Place(packet));
    }
}
