using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Tests.Delivery;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Recovery;

/// <summary>
/// The recovery of one region view at all of its members, joined by a network without delay that a test may make lossy,
/// and fed by a sender outside the region that keeps every packet.
/// </summary>
internal sealed class RingWorld
{
    private const ulong Cluster = 77;
    private static readonly Epoch ServerEpoch = new(1, 9);

    private readonly Queue<(int To, byte[] Datagram)> _wire = new();
    private readonly List<byte[]> _packets = [];

    public RingWorld(int members, int replication = 5, RecoverySettings? settings = null, int slotBytes = 1300)
    {
        var nodes = new NodeInfo[members];
        for (int index = 0; index < members; index++) nodes[index] = Node((uint)index + 1);
        Sender = Node(1000);
        var region = new RegionInfo(new RegionId(ServerEpoch, 1), [new GroupId(ServerEpoch, 1)]);
        View = new RegionView(
            new ViewNumber(ServerEpoch, 1), region, new StepNumber(ServerEpoch, 1), nodes, default, replication);
        var facts = new TransportFacts(default, default, slotBytes, 16, 1 << 20, false, false);
        for (int index = 0; index < members; index++)
            Members.Add(new RingMember(this, index, settings ?? new RecoverySettings(), facts));
    }

    public RegionView View { get; }

    public NodeInfo Sender { get; }

    public List<RingMember> Members { get; } = [];

    public Instant Now { get; private set; } = new(1);

    public List<AckBody> Acks { get; } = [];

    /// <summary>Members that the last acknowledgement said to be behind.</summary>
    public LagList LastBehind { get; } = new();

    public List<(int From, bool Wide, SequenceRange Range)> Naks { get; } = [];

    public int TokenHops => Hops.Count;

    /// <summary>The hops of all tokens, in order: from which member to which.</summary>
    public List<(int From, int To)> Hops { get; } = [];

    /// <summary>How many repairs members have sent to each other.</summary>
    public int PeerRepairs { get; private set; }

    /// <summary>The bodies of all datagrams of tokens, in order.</summary>
    public List<byte[]> TokenBodies { get; } = [];

    /// <summary>Says whether a datagram to a member is lost.</summary>
    public Func<DatagramHeader, int, bool> Loses { get; set; } = (_, _) => false;

    /// <summary>When true, the sender answers NAKs.</summary>
    public bool SenderAnswers { get; set; } = true;

    public ulong Stable => Acks.Count == 0 ? 0 : Acks[^1].Stable;

    /// <summary>Sends packets to every member that <see cref="Loses"/> spares.</summary>
    public void SendPackets(int count, DatagramFlags flags = DatagramFlags.None)
    {
        for (int index = 0; index < count; index++)
        {
            _packets.Add(Packet((ulong)_packets.Count + 1, flags));
            for (int member = 0; member < Members.Count; member++) Put(member, _packets[^1]);
        }
        Settle();
    }

    /// <summary>A packet that was sent arrives at a member once more, as it was sent first.</summary>
    public void SendAgain(int sequence, int member)
    {
        Put(member, _packets[sequence - 1]);
        Settle();
    }

    public void SendBeacon()
    {
        var datagram = new byte[DatagramHeader.Length];
        Header(DatagramKind.Beacon, (ulong)_packets.Count).WriteTo(datagram);
        for (int member = 0; member < Members.Count; member++) Put(member, datagram);
        Settle();
    }

    /// <summary>Lets time pass, alarm by alarm.</summary>
    public void RunFor(TimeSpan time)
    {
        Instant end = Now + time;
        while (true)
        {
            Instant next = Instant.Never;
            foreach (RingMember member in Members)
            {
                if (member.Alarms.NextDue < next) next = member.Alarms.NextDue;
            }
            if (next > end) break;
            if (next > Now) Now = next;
            foreach (RingMember member in Members)
            {
                while (member.Alarms.FireNext(Now))
                {
                }
            }
            Settle();
        }
        Now = end;
    }

    public void Send(in Train train, int from)
    {
        NetEndpoint endpoint = train.To;
        int to = Array.FindIndex(View.Members, node => node.Control == endpoint || node.Data == endpoint);
        ReadOnlySpan<byte> rest = train.Span;
        while (!rest.IsEmpty)
        {
            Assert.Equal(RejectReason.None, DatagramHeader.TryRead(rest, out DatagramHeader header));
            byte[] datagram = rest[..header.TotalLength].ToArray();
            rest = rest[header.TotalLength..];
            Dispatch(header, datagram, from, to);
        }
    }

    public DatagramHeader Header(DatagramKind kind, ulong sequence) => new()
    {
        Kind = kind,
        Cluster = Cluster,
        ViewTag = View.Number.Tag,
        ViewCounter = View.Number.Counter,
        Sender = Sender.Number.Key,
        Sequence = sequence,
    };

    private void Dispatch(in DatagramHeader header, byte[] datagram, int from, int to)
    {
        if (to >= 0)
        {
            if (header.Kind == DatagramKind.Token)
            {
                Hops.Add((from, to));
                TokenBodies.Add(datagram[DatagramHeader.Length..]);
            }
            if (header.IsFromPeer) PeerRepairs++;
            Put(to, datagram);
            return;
        }
        ReadOnlySpan<byte> body = datagram.AsSpan(DatagramHeader.Length);
        if (header.Kind == DatagramKind.Ack)
        {
            Assert.True(AckBody.TryRead(body, View.Members.Length, LastBehind, out AckBody ack));
            Acks.Add(ack);
            return;
        }
        // This sender does not take part when its way is measured.
        if (header.Kind == DatagramKind.PathQuery) return;
        Assert.Equal(DatagramKind.Nak, header.Kind);
        Assert.True(NakBody.TryRead(body, out NakBody nak));
        foreach (SequenceRange range in nak.Ranges)
        {
            Naks.Add((from, nak.PartitionWide, range));
            if (!SenderAnswers) continue;
            for (ulong sequence = range.Start; sequence < range.End && sequence <= (ulong)_packets.Count; sequence++)
            {
                byte[] repair = (byte[])_packets[(int)sequence - 1].Clone();
                DatagramHeader.MarkAsRepair(repair);
                if (!nak.PartitionWide) Put(from, repair);
                else for (int member = 0; member < Members.Count; member++) Put(member, repair);
            }
        }
    }

    private void Put(int to, byte[] datagram)
    {
        Assert.Equal(RejectReason.None, DatagramHeader.TryRead(datagram, out DatagramHeader header));
        if (!View.Members[to].IsRemoved && !Loses(header, to)) _wire.Enqueue((to, datagram));
    }

    /// <summary>Carries what is on its way, and what comes of it, without any time passing.</summary>
    public void Settle()
    {
        bool busy = true;
        while (busy)
        {
            busy = false;
            while (_wire.TryDequeue(out (int To, byte[] Datagram) item))
            {
                busy = true;
                Members[item.To].Take(item.Datagram, Now);
            }
            foreach (RingMember member in Members)
            {
                if (!View.Members[member.Index].IsRemoved && member.Roots.PullAll(Now) > 0) busy = true;
            }
        }
    }

    private byte[] Packet(ulong sequence, DatagramFlags flags)
    {
        byte[] datagram = DeliveryWorld.Datagram(
            View, View.FirstStep.Counter, new PacketPart(0, sequence, BitConverter.GetBytes(sequence)));
        (Header(DatagramKind.Data, sequence) with { Flags = flags }).WriteTo(datagram);
        return datagram;
    }

    private static NodeInfo Node(uint counter) => new(
        new NodeNumber(ServerEpoch, counter), $"n{counter}", 1, new NetEndpoint(counter, 1),
        new NetEndpoint(counter, 2), 1 << 20);
}
