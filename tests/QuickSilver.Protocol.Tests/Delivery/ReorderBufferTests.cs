using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Tests.Delivery;

public sealed class ReorderBufferTests
{
    private const int Length = 10;

    private readonly BufferPool _pool = new();

    [Fact]
    public void NumbersInAnyOrderComeOutSortedAndAreFoundMeanwhile()
    {
        for (int seed = 1; seed <= 100; seed++) Check(seed, packets: false);
    }

    [Fact]
    public void NumbersOfPacketsComeOutSortedEachWithItsBytes()
    {
        for (int seed = 1; seed <= 100; seed++) Check(seed, packets: true);
    }

    [Fact]
    public void MemoryFollowsWhatIsHeldWhateverTheNumbers()
    {
        var queue = new ReorderBuffer();
        for (ulong index = 0; index < 10_000; index++) queue.Add(Lonely(index * 1_000_003 % (1UL << 60)));
        Assert.InRange(queue.Capacity, 10_000, 25_000);
        while (queue.Count > 1) queue.TakeFirst();
        int capacity = queue.Capacity;
        for (ulong index = 0; index < 5_000; index++) queue.Add(Lonely((1UL << 61) + index));
        Assert.Equal(capacity, queue.Capacity);
    }

    [Fact]
    public void MessagesAtEqualDistancesAreOneBatch()
    {
        var queue = new ReorderBuffer();
        Chunk chunk = _pool.Rent(4096, BufferOwner.Cache);
        queue.Add(new HeldBatch(new DeliveryBatch(7, new Slice(chunk, 0, Length))));
        for (int index = 1; index < 40; index++)
            Assert.True(queue.TryAppend(new DeliveryBatch(7 + (ulong)index, new Slice(chunk, index * 40, Length))));
        Assert.True(queue.TryAppend(new DeliveryBatch(47, new Slice(chunk, 40 * 40, Length), 20, 40)));

        Assert.False(queue.TryAppend(new DeliveryBatch(67, new Slice(chunk, (60 * 40) + 1, Length))));
        Assert.False(queue.TryAppend(new DeliveryBatch(67, new Slice(chunk, 60 * 40, Length + 1))));
        Assert.False(queue.TryAppend(new DeliveryBatch(68, new Slice(chunk, 60 * 40, Length))));
        Assert.False(queue.TryAppend(new DeliveryBatch(67, new Slice(chunk, 60 * 40, Length), 2, 41)));
        Assert.False(
            queue.TryAppend(new DeliveryBatch(67, new Slice(_pool.Rent(4096, BufferOwner.Cache), 60 * 40, Length))));
        Assert.Equal(1, queue.Count);
        Assert.Equal(60, queue.First.Messages.Count);
        Assert.Equal((60 * Length) + HeldBatch.Overhead, queue.First.Charge);
    }

    private void Check(int seed, bool packets)
    {
        var random = new Random(seed);
        var queue = new ReorderBuffer();
        var model = new SortedDictionary<ulong, Slice>();
        int span = 1 << random.Next(3, 12);
        ulong top = 1;
        for (int step = 0; step < 2_000; step++)
        {
            int choice = random.Next(10);
            ulong first = choice < 4 ? top : (ulong)random.Next(span) * (ulong)random.Next(1, 4);
            int count = packets ? random.Next(1, 20) : 1;
            if (choice < 7) Hold(queue, model, first, count, random);
            else if (choice < 8) top += (ulong)random.Next(20);
            else Take(queue, model, random.Next(1, packets ? 40 : 4), seed);
            if (choice < 4) top += (ulong)count;

            ulong probe = (ulong)random.Next((int)top + 2);
            int reach = random.Next(1, 20);
            bool holdsAny = Enumerable.Range(0, reach).Any(after => model.ContainsKey(probe + (ulong)after));
            Assert.True(
                holdsAny == queue.HoldsAny(probe, probe + (ulong)reach), $"seed {seed}, step {step}, number {probe}");
            Assert.True(
                model.ContainsKey(probe) == queue.TryFind(probe, out HeldBatch found),
                $"seed {seed}, step {step}, number {probe}");
            Assert.True(!model.ContainsKey(probe) || found.Covers(probe), $"seed {seed}, step {step}, number {probe}");
            Assert.True(packets ? queue.Count <= model.Count : queue.Count == model.Count, $"seed {seed}, step {step}");
        }
        Take(queue, model, int.MaxValue, seed);
        Assert.Equal(0, queue.Count);
    }

    /// <summary>What a packet brings: batches of equal messages, now and then a longer one or a number left
    /// out.</summary>
    private void Hold(ReorderBuffer queue, SortedDictionary<ulong, Slice> model, ulong first, int count, Random random)
    {
        Chunk chunk = _pool.Rent(1024, BufferOwner.Cache);
        for (int index = 0, at = 0; index < count;)
        {
            ulong number = first + (ulong)index;
            if (random.Next(15) == 0) at += 3;
            var run = new DeliveryBatch(
                number, new Slice(chunk, at, random.Next(15) == 0 ? Length + 1 : Length),
                random.Next(1, count - index + 1), 20);
            at += 20 * run.Count;
            index += run.Count + (random.Next(20) == 0 ? 1 : 0);
            bool isNew = true;
            for (int each = 0; each < run.Count; each++) isNew &= !model.ContainsKey(number + (ulong)each);
            bool isAppended = queue.TryAppend(run);
            Assert.True(isNew || !isAppended, $"one of {run.Count} from {number} is held twice");
            if (!isNew) continue;
            for (int each = 0; each < run.Count; each++) model.Add(number + (ulong)each, run[each]);
            if (!isAppended) queue.Add(new HeldBatch(run));
        }
    }

    private static HeldBatch Lonely(ulong number) => new(new DeliveryBatch(number, default));

    private static void Take(ReorderBuffer queue, SortedDictionary<ulong, Slice> model, int most, int seed)
    {
        for (; most > 0 && model.Count > 0; most--)
        {
            (ulong number, Slice bytes) = model.First();
            Assert.True(
                number == queue.First.Number && bytes == queue.First.Messages.First, $"seed {seed}, number {number}");
            if (queue.First.Messages.Count > 1) queue.MoveOn(1);
            else Assert.True(number == queue.TakeFirst().Number, $"seed {seed}");
            model.Remove(number);
        }
    }
}
