using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Delivery;

public class EarlyPacketBufferTests
{
    private static readonly Instant Start = new(0);
    private static readonly Arrival Control = new(SocketRole.Control, default);
    private static readonly Arrival Multicast = new(SocketRole.Multicast, default);
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly BufferPool _pool = new();
    private readonly DeliveryCounters _counters = new(new RejectCounters());
    private readonly List<string> _replayed = [];

    private EarlyPacketBuffer Buffer(int count = 100, long bytes = 1 << 20) =>
        new(new DeliverySettings { MaxUnrecognised = count, MaxUnrecognisedBytes = bytes }, _pool, _counters);

    private void Handle(Slice datagram, Arrival arrival, Instant now) =>
        _replayed.Add($"{arrival.Role} {datagram.Span[0]}/{datagram.Length}");

    [Fact]
    public void ReplaysTheDatagramsOfAViewInOrderOfArrivalAndOnlyOnce()
    {
        EarlyPacketBuffer buffer = Buffer();
        for (byte index = 0; index < 40; index++)
        {
            buffer.TryAdd(7, index % 2u, index < 20 ? Multicast : Control, new byte[] { index, 0 }, Start);
        }

        Assert.Equal(20, buffer.Replay(7, 1, Handle, Start));
        Assert.Equal(
            Enumerable.Range(0, 20).Select(index => $"{(index < 10 ? "Multicast" : "Control")} {(2 * index) + 1}/2"),
            _replayed);
        Assert.Equal(0, buffer.Replay(7, 1, Handle, Start));
        Assert.Equal(0, buffer.Replay(8, 0, Handle, Start));
        Assert.Equal(20, buffer.Count);
        Assert.Equal(40, buffer.Bytes);
        Assert.Equal(20UL, _counters.UnrecognisedReplayed);
    }

    [Fact]
    public void RefusesMoreThanItsCountOrBytes()
    {
        EarlyPacketBuffer few = Buffer(count: 2);
        EarlyPacketBuffer small = Buffer(bytes: 100);

        Assert.True(few.TryAdd(1, 1, Control, new byte[10], Start));
        Assert.True(few.TryAdd(1, 1, Control, new byte[10], Start));
        Assert.False(few.TryAdd(1, 1, Control, new byte[10], Start));
        Assert.True(small.TryAdd(1, 1, Control, new byte[60], Start));
        Assert.False(small.TryAdd(1, 1, Control, new byte[41], Start));
        Assert.True(small.TryAdd(1, 1, Control, new byte[40], Start));
        Assert.Equal(2UL, _counters.UnrecognisedDropped);
    }

    [Fact]
    public void DropsWhatIsTooOldAndMakesRoom()
    {
        EarlyPacketBuffer buffer = Buffer(count: 2);
        buffer.TryAdd(1, 1, Control, new byte[] { 1 }, Start);
        buffer.TryAdd(1, 1, Control, new byte[] { 2 }, Start + Second);
        Assert.Equal(Start + (3 * Second), buffer.NextExpiry);

        Assert.True(buffer.TryAdd(1, 1, Control, new byte[] { 3 }, Start + (3 * Second)));
        buffer.Replay(1, 1, Handle, Start + (4 * Second));

        Assert.Equal(["Control 3/1"], _replayed);
        Assert.Equal(2UL, _counters.UnrecognisedDropped);
        Assert.Equal(Instant.Never, buffer.NextExpiry);
    }

    [Fact]
    public void AHandlerMayAddDatagramsOfOtherViews()
    {
        EarlyPacketBuffer buffer = Buffer();
        for (byte index = 0; index < 17; index++) buffer.TryAdd(1, 1, Control, new[] { index }, Start);
        buffer.Replay(1, 1, (datagram, role, now) => buffer.TryAdd(1, 2, role, datagram.Span, now), Start);

        Assert.Equal(17, buffer.Count);
        Assert.Equal(17, buffer.Replay(1, 2, Handle, Start));
        Assert.Equal("Control 16/1", _replayed[^1]);
    }

    [Fact]
    public void ItsBuffersComeHomeWhenItIsEmptyOrClosed()
    {
        EarlyPacketBuffer buffer = Buffer();
        buffer.TryAdd(1, 1, Control, new byte[9], Start);
        buffer.Expire(Start + (3 * Second));
        Assert.Equal(0, _pool.OutstandingChunks);

        buffer.TryAdd(1, 1, Control, new byte[9], Start + (4 * Second));
        Assert.True(_pool.OutstandingBytesOf(BufferOwner.Unrecognised) > 0);
        buffer.Close();

        Assert.Equal(0, _pool.OutstandingChunks);
        Assert.Equal(0, buffer.Bytes);
    }

    [Fact]
    public void AllocatesNothingOnceItHasGrown()
    {
        EarlyPacketBuffer buffer = Buffer(count: 1000);
        byte[] datagram = new byte[1000];
        ulong replayed = 0, rounds = 0;
        ReplayHandler handler = (_, _, _) => replayed++;
        Instant now = Start;
        void Churn()
        {
            rounds++;
            for (uint index = 0; index < 500; index++) buffer.TryAdd(1, index % 3, Multicast, datagram, now);
            buffer.Replay(1, 1, handler, now);
            now += 4 * Second;
            buffer.Expire(now);
        }
        Churn();
        Churn();

        Assert.Equal(0, AllocatedBytes.Of(Churn));
        Assert.Equal(rounds * 167, replayed);
    }
}
