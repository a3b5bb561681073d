using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public sealed class LagListTests
{
    private readonly LagList _list = new();

    [Fact]
    public void MembersAreInOrderAndWordsOnOneArePutTogether()
    {
        _list.Add(new LagEntry(5, LagCause.Losing, 10));
        _list.Add(new LagEntry(2, LagCause.Silent, 1));
        _list.Add(new LagEntry(5, LagCause.ReadingSlowly, 10));
        _list.Add(new LagEntry(5, LagCause.Losing, 9, 700));
        Assert.Equal([new(2, LagCause.Silent, 1), new(5, LagCause.ReadingSlowly, 10, 700)], _list.Entries.ToArray());
    }

    [Fact]
    public void AFullListKeepsTheWorst()
    {
        for (int member = 0; member < 2 * LagList.MaxEntries; member++)
            _list.Add(new LagEntry(member, LagCause.Losing, (ulong)(member * 7 % 16)));
        Assert.Equal(LagList.MaxEntries, _list.Count);
        Assert.All(_list.Entries.ToArray(), static entry => Assert.InRange(entry.Packets, 8ul, 15ul));
        Assert.Equal(_list.Entries.ToArray().OrderBy(static entry => entry.Member), _list.Entries.ToArray());
    }
}
