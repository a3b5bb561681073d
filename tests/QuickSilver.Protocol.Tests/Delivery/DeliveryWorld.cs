using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>A deliverer with a log of what it said, and the few things of a cluster that packets need.</summary>
internal sealed class DeliveryWorld
{
    public static readonly Epoch ServerEpoch = new(1, 77);
    public static readonly Instant Now = new(1_000_000);

    private readonly Arena _arena;

    public DeliveryWorld(long maxHeldBytes = 1 << 20)
    {
        Counters = new DeliveryCounters(new RejectCounters());
        Deliverer = new Deliverer(new DeliverySettings { MaxHeldBytes = maxHeldBytes }, Pool, Counters);
        _arena = new Arena(Pool, BufferOwner.Cache);
    }

    public BufferPool Pool { get; } = new();

    public DeliveryCounters Counters { get; }

    public Deliverer Deliverer { get; }

    /// <summary>What was delivered and lost, in order: "group sender#number" and "group sender!first+count".</summary>
    public List<string> Log { get; } = [];

    /// <summary>Senders that were closed, once for each session that knew them.</summary>
    public List<string> Closed { get; } = [];

    /// <summary>Bytes of the messages delivered, in order.</summary>
    public List<byte[]> Contents { get; } = [];

    public Action<GroupReceiver, DeliveredMessage>? Handler { get; set; }

    public static StepNumber Step(ulong counter) => counter == 0 ? default : new StepNumber(ServerEpoch, counter);

    public static GroupInfo Group(uint number) => new(new GroupId(ServerEpoch, number), $"g{number}", 0);

    public static NodeInfo Node(uint number) =>
        new(new NodeNumber(ServerEpoch, number), $"n{number}", 1, default, default, 1 << 20);

    /// <summary>A view whose region has the groups with these numbers, ascending.</summary>
    public static RegionView View(uint number, ulong firstStep, params uint[] groups) => new(
        new ViewNumber(ServerEpoch, number),
        new RegionInfo(new RegionId(ServerEpoch, number), [.. groups.Select(group => new GroupId(ServerEpoch, group))]),
        Step(firstStep),
        [Node(1000)],
        default,
        5);

    /// <summary>A whole datagram; its header is blank but for its length, as delivery does not read it.</summary>
    public static byte[] Datagram(RegionView view, ulong step, params ReadOnlySpan<PacketPart> parts)
    {
        var bytes = new byte[DatagramHeader.MaxDatagram];
        var writer = new WireWriter(bytes.AsSpan(DatagramHeader.Length));
        writer.WriteVarint(step - view.FirstStep.Counter);
        for (int at = 0; at < parts.Length;)
        {
            PacketPart part = parts[at];
            int count = CountAlike(parts[at..]);
            PacketRecord.WriteHead(
                ref writer,
                view.Number.Epoch,
                part.Group,
                part.Number,
                part.First,
                Step(part.Previous),
                part.MessageLength,
                part.Offset,
                part.Bytes.Length,
                count,
                part.IsPiece);
            for (int end = at + count; at < end; at++) writer.WriteBytes(parts[at].Bytes);
        }
        Assert.False(writer.Overflowed);
        return bytes[..(DatagramHeader.Length + writer.Written)];
    }

    // What a packer would make one batch of.
    private static int CountAlike(ReadOnlySpan<PacketPart> parts)
    {
        PacketPart first = parts[0];
        if (first.First || first.IsPiece || first.Bytes.Length == 0) return 1;
        if (first.Bytes.Length != first.MessageLength) return 1;
        int count = 1;
        while (count < parts.Length
            && parts[count] is { First: false, IsPiece: false } next
            && next.Group == first.Group
            && next.Number == first.Number + (ulong)count
            && next.Bytes.Length == first.Bytes.Length
            && next.MessageLength == first.MessageLength)
        {
            count++;
        }
        return count;
    }

    /// <summary>Begins a session.</summary>
    public GroupReceiver Open(GroupInfo group, StepNumber stayBegan)
    {
        var opened = new OpenedGroup(this, group.Name);
        return opened.Receiver = Deliverer.OpenGroup(group, stayBegan, opened);
    }

    /// <summary>A packet arrives, as recovery would hand it over.</summary>
    public void Receive(RegionView view, NodeInfo sender, ulong step, params ReadOnlySpan<PacketPart> parts)
    {
        byte[] datagram = Datagram(view, step, parts);
        Assert.True(Deliverer.IsWellFormed(view, datagram));
        Hand(view, sender, datagram);
    }

    public void Hand(RegionView view, NodeInfo sender, byte[] datagram)
    {
        Slice stored = _arena.Copy(datagram);
        Deliverer.OnPacket(view, sender, stored, Now);
        stored.Release();
    }

    /// <summary>Ends everything, after which no buffer may be out.</summary>
    public void AssertEverythingComesHome()
    {
        Deliverer.Close();
        _arena.Close();
        Assert.Equal(0, Pool.OutstandingChunks);
        Assert.Equal(0, Counters.HeldBytes);
    }

    private void OnMessages(GroupReceiver group, NodeInfo sender, in DeliveryBatch run)
    {
        // As a host reads it: in one piece.
        Assert.True(run.Span.Length >= run.TotalLength);
        for (int index = 0; index < run.Count && group.IsOpen; index++)
        {
            Slice payload = run[index];
            var message = new DeliveredMessage(sender, run.Number + (ulong)index, payload);
            Log.Add($"{group.Info.Name} {sender.Name}#{message.Number}{(run.IsPiece ? " piece" : "")}");
            Contents.Add(payload.Span.ToArray());
            Handler?.Invoke(group, message);
        }
    }

    private sealed class OpenedGroup(DeliveryWorld world, string name) : IDeliveryListener
    {
        public GroupReceiver Receiver { get; set; } = null!;

        void IDeliveryListener.OnMessages(NodeInfo sender, in DeliveryBatch run, Instant now) =>
            world.OnMessages(Receiver, sender, run);

        void IDeliveryListener.OnLoss(NodeInfo sender, ulong first, ulong count, Instant now) =>
            world.Log.Add($"{name} {sender.Name}!{first}+{count}");

        void IDeliveryListener.OnSenderClosed(NodeInfo sender, Instant now) => world.Closed.Add(sender.Name);
    }
}
