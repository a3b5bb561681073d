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
        Assert.Equal(1, _set.Count);
    }

    [Fact]
    public void TwoRecordsOfOneKeyAreRefused()
    {
        _set.Add(new Record("a"));

        Assert.Throws<ArgumentException>(() => _set.Add(new Record("a")));
        Assert.Equal(1, _set.Count);
    }

    [Fact]
    public void ManyThatAreExpectedTakeNoMoreRoomThanTheyNeed()
    {
        _set.Expect(10_000);
        for (int index = 0; index < 10_000; index++) _set.Add(new Record($"{index}"));

        Assert.InRange(_set.Records.EnsureCapacity(0), 10_000, 11_000);
        Assert.True(_set.TryGet("9999", out _));
    }

    private sealed class Record(string name)
    {
        public string Name { get; } = name;
    }
}
