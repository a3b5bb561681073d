using System.Buffers;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Tests.Flow;

/// <summary>A piece of memory, whether it is the collector's or not: its parts, its references, its way home.</summary>
public sealed unsafe class ChunkTests : IDisposable
{
    private const int Length = 4096;

    private readonly byte* _memory = (byte*)NativeMemory.AllocZeroed(Length);
    private readonly Home _home = new();

    public void Dispose() => NativeMemory.Free(_memory);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void PartsAreOfTheMemoryItself(bool ofArray)
    {
        Chunk chunk = Make(ofArray);
        chunk.AsSpan(1000, 3).Fill(7);

        Assert.Equal(Length, chunk.Length);
        Assert.Equal(Length, chunk.AsSpan(0, Length).Length);
        Assert.Equal([0, 7, 7, 7, 0], chunk.GetSpan()[999..1004].ToArray());
        Assert.Equal(3, chunk.GetSpan().Count((byte)7));
        Assert.Equal(0, chunk.AsSpan(Length, 0).Length);
        if (!ofArray) Assert.Equal(7, _memory[1001]);
    }

    [Theory]
    [InlineData(0, Length + 1)]
    [InlineData(1, Length)]
    [InlineData(Length, 1)]
    [InlineData(Length + 1, 0)]
    [InlineData(-1, 1)]
    [InlineData(0, -1)]
    [InlineData(-1, -1)]
    [InlineData(int.MaxValue, int.MaxValue)]
    [InlineData(int.MinValue, int.MinValue)]
    [InlineData(1, int.MaxValue)]
    public void APartThatIsNotInsideIsRefused(int offset, int length)
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Make(ofArray: true).AsSpan(offset, length).Length);
        Assert.Throws<ArgumentOutOfRangeException>(() => Make(ofArray: false).AsSpan(offset, length).Length);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ItsMemoryIsTheSameBytesAndItsAddressStays(bool ofArray)
    {
        Chunk chunk = Make(ofArray);
        Memory<byte> part = new Slice(chunk, 100, 50).Memory;
        part.Span.Fill(9);
        Assert.Equal(50, chunk.GetSpan().Count((byte)9));
        Assert.Equal(9, chunk.AsSpan(100, 1)[0]);

        using MemoryHandle first = part.Pin();
        using MemoryHandle second = chunk.Pin(100);
        Assert.True(first.Pointer == second.Pointer);
        if (!ofArray) Assert.True(first.Pointer == _memory + 100);
        Assert.Throws<ArgumentOutOfRangeException>(() => chunk.Pin(Length + 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => chunk.Pin(-1));
    }

    [Fact]
    public void OnlyMemoryOfAnArrayGivesAnArray()
    {
        Assert.True(MemoryMarshal.TryGetArray(Make(ofArray: true).Memory[10..20], out ArraySegment<byte> segment));
        Assert.Equal((10, 10), (segment.Offset, segment.Count));
        Assert.False(MemoryMarshal.TryGetArray(Make(ofArray: false).Memory, out segment));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ItGoesHomeOnceWithItsLastReference(bool ofArray)
    {
        Chunk chunk = Make(ofArray);
        Assert.Equal((1, BufferOwner.Cache), (chunk.References, chunk.Owner));
        chunk.Retain(3);
        var slice = new Slice(chunk, 0, 10);
        slice.Retain();
        Assert.Equal(5, chunk.References);
        for (int left = 4; left > 0; left--)
        {
            chunk.Release();
            Assert.Equal(left, chunk.References);
            Assert.Empty(_home.Returned);
        }
        slice.Release();

        Assert.Same(chunk, Assert.Single(_home.Returned));
        Assert.Equal(0, chunk.References);
    }

    [Fact]
    public void ItCanBeRentedAgainWhenItIsHome()
    {
        Chunk chunk = Make(ofArray: false);
        chunk.Release();
        chunk.Rented(BufferOwner.Pending);
        Assert.Equal((1, BufferOwner.Pending), (chunk.References, chunk.Owner));
        chunk.Release();

        Assert.Equal(2, _home.Returned.Count);
    }

    [Fact]
    public void AnotherArrayTakesThePlaceOfItsOwn()
    {
        Chunk chunk = Make(ofArray: true);
        chunk.GetSpan().Fill(1);
        byte[] other = GC.AllocateArray<byte>(Length, pinned: true);
        other.AsSpan().Fill(2);
        byte[] before = chunk.Exchange(other);

        Assert.Equal(Length, before.AsSpan().Count((byte)1));
        Assert.Equal(Length, chunk.GetSpan().Count((byte)2));
        Assert.Equal(2, chunk.AsSpan(Length - 1, 1)[0]);
    }

    [Fact]
    public void AskingForALineBeyondTheEndDoesNothing()
    {
        Chunk chunk = Make(ofArray: false);
        foreach (int offset in (int[])[0, Length - 1, Length, int.MaxValue, -1, int.MinValue]) chunk.Prefetch(offset);
        Assert.Equal(-1, chunk.GetSpan().IndexOfAnyExcept((byte)0));
    }

    private Chunk Make(bool ofArray)
    {
        Chunk chunk = ofArray
            ? new Chunk(_home, GC.AllocateArray<byte>(Length, pinned: true)) : new Chunk(_home, _memory, Length);
        chunk.Rented(BufferOwner.Cache);
        return chunk;
    }

    private sealed class Home : IChunkHome
    {
        public List<Chunk> Returned { get; } = [];

        void IChunkHome.Return(Chunk chunk) => Returned.Add(chunk);
    }
}
