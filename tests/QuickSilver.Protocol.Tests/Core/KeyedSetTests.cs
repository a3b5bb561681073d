using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Tests.Core;

public class KeyedSetTests
{
    private readonly KeyedSet<string, Record> _set = new(static record => record.Name, StringComparer.Ordinal);

    [Fact]
    public void ARecordIsFoundByItsKeyUntilItIsRemoved()
    {
        var record = new Record("a");
        _set.Add(record);
        _set.Add(new Record("b"));

        Assert.True(_set.TryGet("a", out Record? found));
        Assert.Same(record, found);
        Assert.True(_set.Remove("a", out Record? removed));
        Assert.Same(record, removed);
        Assert.False(_set.TryGet("a", out _));
        Assert.False(_set.Remove("a", out _));
        Assert.Single(_set);
    }

    [Fact]
    public void TwoRecordsOfOneKeyAreRefused()
    {
        _set.Add(new Record("a"));

        Assert.Throws<ArgumentException>(() => _set.Add(new Record("a")));
        Assert.Single(_set);
    }

    [Fact]
    public void ManyThatAreExpectedTakeNoMoreRoomThanTheyNeed()
    {
        _set.Expect(10_000);
        for (int index = 0; index < 10_000; index++) _set.Add(new Record($"{index}"));

        Assert.InRange(_set.Capacity, 10_000, 11_000);
        Assert.True(_set.TryGet("9999", out _));
    }

    [Fact]
    public void RecordsLieWithoutGapsAndTheLastTakesThePlaceOfOneThatIsRemoved()
    {
        foreach (string name in (string[])["a", "b", "c", "d"]) _set.Add(new Record(name));

        _set.Remove("b", out _);

        Assert.Equal(["a", "d", "c"], _set.Select(static record => record.Name));
        Assert.Equal("d", _set[1].Name);
    }

    [Fact]
    public void RoomForABurstIsGivenBackOnceLittleOfItIsUsed()
    {
        for (int index = 0; index < 10_000; index++) _set.Add(new Record($"{index}"));
        for (int index = 100; index < 10_000; index++) _set.Remove($"{index}", out _);
        Assert.True(_set.Capacity >= 10_000);

        _set.Trim();

        Assert.Equal(100, _set.Capacity);
        for (int index = 0; index < 100; index++) Assert.True(_set.TryGet($"{index}", out _));
        _set.Clear();
        Assert.Equal(0, _set.Capacity);
        Assert.False(_set.TryGet("1", out _));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(1_000_000)]
    public void AnySequenceOfAdditionsAndRemovalsEqualsThatOfADictionary(int hashes)
    {
        // Few hashes make long searches, in which removals have to move entries up.
        var set = new KeyedSet<int, Number>(static number => number.Value, new Coarse(hashes));
        var model = new Dictionary<int, Number>();
        var random = new Random(hashes);
        for (int turn = 0; turn < 20_000; turn++)
        {
            int key = random.Next(200);
            // Phases in which it grows, and in which it shrinks.
            bool adds = random.Next(10) < (turn / 500 % 2 == 0 ? 7 : 3);
            if (adds && !model.ContainsKey(key))
            {
                var made = new Number(key);
                set.Add(made);
                model.Add(key, made);
            }
            else if (!adds)
            {
                Assert.Equal(model.Remove(key, out Number? expected), set.Remove(key, out Number? removed));
                Assert.Same(expected, removed);
            }
            int other = random.Next(200);
            Assert.Equal(model.TryGetValue(other, out Number? known), set.TryGet(other, out Number? found));
            Assert.Same(known, found);
            Assert.Equal(model.Count, set.Count);
        }
        Assert.Equal(model.Keys.Order(), set.Select(static number => number.Value).Order());
    }

    private sealed class Number(int value)
    {
        public int Value { get; } = value;
    }

    private sealed class Coarse(int hashes) : IEqualityComparer<int>
    {
        public bool Equals(int left, int right) => left == right;

        public int GetHashCode(int key) => key % hashes;
    }

    private sealed class Record(string name)
    {
        public string Name { get; } = name;
    }
}
