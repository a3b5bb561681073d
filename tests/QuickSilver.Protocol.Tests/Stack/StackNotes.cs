using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Tests.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>
/// Three nodes in a group, of which node 0 has opened memory of node 1. The test writes packets there, and the notes
/// that name them.
/// </summary>
internal sealed class StackNotes
{
    public StackNotes()
    {
        World.JoinAll("news");
        foreach (StackNode node in World.Nodes) node.Say("news", "hello");
        World.RunFor(TimeSpan.FromSeconds(1));
        View = Node.Stack.FindGroup("news")!.Regions[0];
        Node.SharedMemory = Own;
        Own.Reachable.Add(Lent);
        Node.Take(Datagram(DatagramKind.Note, 1, Body(new NoteBody(Lent.Segment, default))), SocketRole.Unicast);
    }

    public StackWorld World { get; } = new(3);

    public RegionView View { get; }

    /// <summary>The memory of node 0, which reads the other.</summary>
    public SharedMemoryStub Own { get; } = new(blocks: 1, key: 1);

    /// <summary>The memory of node 1.</summary>
    public SharedMemoryStub Lent { get; } = new(blocks: 8, key: 2);

    public StackNode Node => World.Nodes[0];

    public ulong Key(int node) => World.Nodes[node].Self!.Number.Key;

    /// <summary>Puts bytes where node 0 can read them.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="length">What is said of their length; 0: the truth.</param>
    public NoteBody Place(byte[] bytes, int length = 0)
    {
        Chunk chunk = Lent.TryRent(BufferOwner.Pending)!;
        bytes.CopyTo(chunk.GetSpan()[512..]);
        Assert.True(Lent.TryLocate(new Slice(chunk, 512, length > 0 ? length : bytes.Length), out NoteBody note));
        return note;
    }

    /// <summary>A note of node 1's.</summary>
    public byte[] Note(ulong sequence, NoteBody place, ulong? sender = null, uint? viewCounter = null) =>
        Datagram(DatagramKind.Note, sequence, Body(place), sender, viewCounter);

    /// <summary>One note of node 1's that tells of several packets, from a sequence on.</summary>
    public byte[] NoteOf(ulong first, params NoteBody[] places) => NoteOf(DatagramKind.Note, first, places);

    /// <summary>A datagram of any kind with the notes of several packets.</summary>
    public byte[] NoteOf(DatagramKind kind, ulong first, params NoteBody[] places)
    {
        byte[] body = new byte[NoteList.DatagramLength(places.Length) - DatagramHeader.Length];
        for (int index = 0; index < places.Length; index++) NoteList.Write(body, index, places[index]);
        return Datagram(kind, first, body);
    }

    /// <summary>A packet of node 1's, with one short message.</summary>
    public byte[] Packet(
        ulong sequence,
        DatagramKind kind = DatagramKind.Data,
        ulong? sender = null,
        uint? viewCounter = null,
        uint? viewTag = null,
        ulong? cluster = null,
        int group = 0)
    {
        byte[] body = new byte[40];
        var writer = new WireWriter(body);
        writer.WriteVarint(0);
        PacketRecord.WriteHead(ref writer, View.Number.Epoch, group, sequence, false, default, 4, 0, 4);
        writer.WriteBytes("lent"u8);
        return Datagram(kind, sequence, body[..writer.Written], sender, viewCounter, viewTag, cluster);
    }

    /// <summary>A note of a packet of node 1's that is sent again, by a peer or by node 1.</summary>
    public byte[] RepairNote(ulong sequence, NoteBody place, int? peer = null)
    {
        ulong relay = peer is { } node ? (ulong)View.IndexOf(Key(node)) << 48 : 0;
        return Datagram(
            DatagramKind.RepairNote, sequence | relay, Body(place),
            flags: peer is null ? DatagramFlags.None : DatagramFlags.FromPeer);
    }

    public static byte[] Body(NoteBody note)
    {
        byte[] body = new byte[NoteBody.Length];
        note.WriteTo(body);
        return body;
    }

    public byte[] Datagram(
        DatagramKind kind,
        ulong sequence,
        byte[] body,
        ulong? sender = null,
        uint? viewCounter = null,
        uint? viewTag = null,
        ulong? cluster = null,
        DatagramFlags flags = DatagramFlags.None)
    {
        byte[] datagram = new byte[DatagramHeader.Length + body.Length];
        body.CopyTo(datagram, DatagramHeader.Length);
        new DatagramHeader
        {
            Kind = kind,
            Flags = DatagramKinds.CarriesPacket(kind) ? DatagramFlags.PayloadChecksum : flags,
            Cluster = cluster ?? World.Cluster,
            ViewTag = viewTag ?? View.Number.Tag,
            ViewCounter = viewCounter ?? View.Number.Counter,
            Sender = sender ?? Key(1),
            Sequence = sequence,
        }.WriteTo(datagram);
        return datagram;
    }

    /// <summary>Node 1 says something that the others hear, and node 0 does not.</summary>
    /// <returns>The packet.</returns>
    public byte[] SayUnheard(string text)
    {
        World.LastSent.Clear();
        Node.IsDeaf = true;
        World.Nodes[1].Say("news", text);
        World.RunFor(TimeSpan.Zero);
        Node.IsDeaf = false;
        return World.LastSent[DatagramKind.Data];
    }
}
