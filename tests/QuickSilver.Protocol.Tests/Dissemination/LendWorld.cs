using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Tests.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>A sending half with shared memory, in one view of node 1 and others, of which those read the memory that
/// the test says.</summary>
internal sealed class LendWorld
{
    private static readonly GroupInfo Group = SendWorld.Group(1);

    public LendWorld(int members = 3, int slotBytes = 1372, int blocks = 16, bool unicast = false, bool shares = true)
    {
        World = new SendWorld(slotBytes: slotBytes);
        Memory = new SharedMemoryStub(blocks);
        if (shares) World.Transport.SharedMemory = Memory;
        View = World.View(1, 1, 1, World.Nodes(1, members), unicast, Group);
        World.Begin([Group], View);
        Sender = World.Open(Group);
    }

    public SendWorld World { get; }

    public SharedMemoryStub Memory { get; }

    public RegionView View { get; }

    public GroupSender Sender { get; }

    public StreamSender Stream => World.Stream(View);

    public IEnumerable<SentTrain> Offers =>
        World.Trains.Where(static train => train.Kind == DatagramKind.Note && Note(train.Datagrams[0]).IsOffer);

    public IEnumerable<SentTrain> NoteTrains =>
        World.Trains.Where(static train => train.Kind == DatagramKind.Note && !Note(train.Datagrams[0]).IsOffer);

    /// <summary>All packets that have left and are not overwritten yet, in order, read where the notes say; each as a
    /// train of its own.</summary>
    public IEnumerable<SentTrain> Packets
    {
        get
        {
            foreach (SentTrain train in World.Trains)
            {
                foreach (byte[] packet in train.Datagrams.SelectMany(datagram => PacketsOf(train.Kind, datagram)))
                {
                    yield return new SentTrain(
                        new Train(packet, packet.Length, train.Route, train.To, train.Channel), train.Priority);
                }
            }
        }
    }

    /// <summary>The note of the first packet that a datagram tells of.</summary>
    public static NoteBody Note(byte[] datagram) => Notes(datagram)[0];

    /// <summary>The notes of all packets that a datagram tells of.</summary>
    public static NoteBody[] Notes(byte[] datagram)
    {
        Assert.True(NoteList.TryRead(datagram.AsSpan(DatagramHeader.Length), out NoteList notes));
        var read = new NoteBody[notes.Count];
        for (int index = 0; index < read.Length; index++) read[index] = notes[index];
        return read;
    }

    /// <summary>The packets that one datagram is, or tells of.</summary>
    public IEnumerable<byte[]> PacketsOf(DatagramKind kind, byte[] datagram)
    {
        if (kind == DatagramKind.Data) return [datagram];
        if (kind != DatagramKind.Note || Note(datagram).IsOffer) return [];
        return Notes(datagram).Select(note =>
        {
            Assert.Equal(Memory.Segment, note.Segment);
            return Memory.At(note.Place).ToArray();
        });
    }

    public ulong Key(int member) => View.Members[member - 1].Number.Key;

    /// <summary>These members read the memory from now on; without numbers all but the sender.</summary>
    public void Open(params int[] members) =>
        Memory.Open([.. (members.Length > 0 ? members : Enumerable.Range(2, View.Members.Length - 1)).Select(Key)]);

    /// <summary>Sends messages of so many bytes, and asks until all of them have left.</summary>
    /// <returns>The trains.</returns>
    public SentTrain[] Send(int bytes, int count = 1)
    {
        int before = World.Trains.Count;
        for (int index = 0; index < count; index++)
        {
            byte[] message = new byte[bytes];
            for (int at = 0; at < bytes; at++) message[at] = (byte)(at * (index + 3));
            World.Send(Sender, message);
        }
        World.PullAll();
        return [.. World.Trains.Skip(before)];
    }

    /// <summary>True when a message of several packets is lent; false when it is sent.</summary>
    public bool Lends()
    {
        SentTrain train = Send(5000)[0];
        Assert.True(train.Kind is DatagramKind.Note or DatagramKind.Data);
        return train.Kind == DatagramKind.Note;
    }
}
