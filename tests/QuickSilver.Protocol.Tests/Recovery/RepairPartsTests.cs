using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Recovery;

/// <summary>Joining packets from parts: whatever order, overlap and repetition they come in, in bounded
/// memory.</summary>
public class RepairPartsTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void PartsOfAnyCutInAnyOrderMakeThePacket(ulong seed)
    {
        var random = new SeededRandom(seed);
        for (int run = 0; run < 200; run++)
        {
            byte[] whole = new byte[49 + (int)(random.NextUInt64() % 3_000)];
            for (int index = 0; index < whole.Length; index++) whole[index] = (byte)random.NextUInt64();
            var join = new PartJoin();
            var pool = new BufferPool();
            var arena = new Arena(pool, BufferOwner.Cache);
            join.Begin(new RingWorld(2).View, 1, 1, arena.Take(whole.Length));
            var covered = new bool[whole.Length];
            while (!join.IsWhole)
            {
                int offset = (int)(random.NextUInt64() % (ulong)whole.Length);
                int length = 1 + (int)(random.NextUInt64() % (ulong)Math.Min(700, whole.Length - offset));
                if (!join.TryAdd(Part(whole, offset, length), new Instant(1))) continue;
                covered.AsSpan(offset, length).Fill(true);
                Assert.Equal(!covered.AsSpan().Contains(false), join.IsWhole);
            }
            Slice joined = join.End();
            Assert.True(joined.Span.SequenceEqual(whole), $"seed {seed}, run {run}");
            joined.Release();
            arena.Close();
            Assert.Equal(0, pool.OutstandingChunks);
        }
    }

    [Fact]
    public void MemoryIsBoundedTheOldestGivesWayAndWhatRestsIsForgotten()
    {
        var world = new RingWorld(2);
        RingMember member = world.Members[0];
        byte[] longest = new byte[DatagramHeader.MaxDatagram];
        var header = new DatagramHeader { Kind = DatagramKind.RepairPart, Sender = world.Sender.Number.Key };
        RepairParts parts = member.Parts;
        for (ulong sequence = 1; sequence <= 1_000; sequence++)
        {
            header.Sequence = sequence;
            Assert.True(parts.Add(world.View, header, Part(longest, 0, 400), world.Now).IsEmpty);
            Assert.InRange(parts.Bytes, 1, RepairParts.MostBytes);
        }
        byte[] small = new byte[100];
        for (ulong sequence = 1_001; sequence <= 2_000; sequence++)
        {
            header.Sequence = sequence;
            parts.Add(world.View, header, Part(small, 0, 50), world.Now);
        }
        Assert.Equal(RepairParts.MostJoins * 100, parts.Bytes);

        world.RunFor(Second * 3);
        Assert.Equal(0, parts.Bytes);
        member.Close();
        Assert.Equal(0, member.Pool.OutstandingChunks);
    }

    [Fact]
    public void APartOfAnotherLengthBeginsThePacketAgain()
    {
        var world = new RingWorld(2);
        RepairParts parts = world.Members[0].Parts;
        var header = new DatagramHeader
        {
            Kind = DatagramKind.RepairPart,
            Sender = world.Sender.Number.Key,
            Sequence = 5
        };
        Assert.True(parts.Add(world.View, header, Part(new byte[200], 0, 100), world.Now).IsEmpty);
        Assert.True(parts.Add(world.View, header, Part(new byte[100], 0, 60), world.Now).IsEmpty);
        Slice whole = parts.Add(world.View, header, Part(new byte[100], 60, 40), world.Now);
        Assert.Equal(100, whole.Length);
        whole.Release();
        Assert.Equal(0, parts.Bytes);
    }

    private static RepairPartBody Part(byte[] whole, int offset, int length)
    {
        var body = new byte[RepairPartBody.Overhead - DatagramHeader.Length + length];
        RepairPartBody.Write(body, whole, offset);
        Assert.True(RepairPartBody.TryRead(body, out RepairPartBody part));
        return part;
    }
}
