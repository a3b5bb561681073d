using QuickSilver.Protocol.Delivery;

namespace QuickSilver.Protocol.Tests.Delivery;

public sealed class HeldQueueTests
{
    [Fact]
    public void Numbers_in_any_order_come_out_sorted_and_are_found_meanwhile()
    {
        for (int seed = 1; seed <= 200; seed++)
        {
            var random = new Random(seed);
            var queue = new HeldQueue();
            var model = new SortedSet<ulong>();
            int span = 1 << random.Next(3, 12);
            ulong top = 1;
            for (int step = 0; step < 2_000; step++)
            {
                int choice = random.Next(10);
                if (choice < 4) Add(queue, model, top++);
                else if (choice < 7) Add(queue, model, (ulong)random.Next(span) * (ulong)random.Next(1, 4));
                else if (choice < 8) top += (ulong)random.Next(20);
                else Take(queue, model, random.Next(1, 4), seed);

                ulong probe = (ulong)random.Next((int)top + 2);
                Assert.True(model.Contains(probe) == queue.TryFind(probe, out HeldMessage found), $"seed {seed}, step {step}, number {probe}");
                Assert.True(!model.Contains(probe) || found.Number == probe, $"seed {seed}, step {step}, number {probe}");
                Assert.True(queue.Count == model.Count, $"seed {seed}, step {step}");
            }
            Take(queue, model, int.MaxValue, seed);
            Assert.Equal(0, queue.Count);
        }
    }

    [Fact]
    public void Memory_follows_what_is_held_whatever_the_numbers()
    {
        var queue = new HeldQueue();
        for (ulong index = 0; index < 10_000; index++) queue.Add(new HeldMessage(index * 1_000_003 % (1UL << 60), default, null));
        Assert.InRange(queue.Capacity, 10_000, 25_000);
        while (queue.Count > 1) queue.TakeFirst();
        int capacity = queue.Capacity;
        for (ulong index = 0; index < 5_000; index++) queue.Add(new HeldMessage((1UL << 61) + index, default, null));
        Assert.Equal(capacity, queue.Capacity);
    }

    private static void Add(HeldQueue queue, SortedSet<ulong> model, ulong number)
    {
        if (model.Add(number)) queue.Add(new HeldMessage(number, default, null));
    }

    private static void Take(HeldQueue queue, SortedSet<ulong> model, int most, int seed)
    {
        for (; most > 0 && model.Count > 0; most--)
        {
            Assert.True(model.Min == queue.First.Number, $"seed {seed}");
            Assert.True(model.Min == queue.TakeFirst().Number, $"seed {seed}");
            model.Remove(model.Min);
        }
    }
}
