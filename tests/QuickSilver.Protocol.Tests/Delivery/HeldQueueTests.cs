using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;

namespace QuickSilver.Protocol.Tests.Delivery;

public class HeldQueueTests
{
    [Fact]
    public void AgreesWithASortedDictionaryUnderRandomInsertionsAndRemovals()
    {
        for (ulong seed = 1; seed <= 100; seed++)
        {
            var random = new SeededRandom(seed);
            var queue = new HeldQueue();
            var model = new SortedDictionary<ulong, int>();
            for (int step = 0; step < 300; step++)
            {
                ulong number = 1 + random.NextBelow(100);
                if (random.NextBelow(3) > 0)
                {
                    int index = queue.IndexOf(number);
                    Assert.True(index >= 0 == model.ContainsKey(number), $"seed {seed}, step {step}: {number}");
                    if (index >= 0) continue;
                    queue.Insert(~index, new HeldMessage(number, new(null, step, 0), null));
                    model.Add(number, step);
                }
                else if (queue.Count > 0)
                {
                    HeldMessage first = queue.TakeFirst();
                    Assert.True(model.First().Key == first.Number && model.First().Value == first.Bytes.Offset, $"seed {seed}, step {step}");
                    model.Remove(first.Number);
                }
                Assert.Equal(model.Keys, Enumerable.Range(0, queue.Count).Select(index => queue[index].Number));
            }
        }
    }
}
