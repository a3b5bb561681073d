using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Tests.Delivery;

public class ReassemblyTests
{
    [Fact]
    public void AgreesWithAnArrayOfBytesUnderRandomFragments()
    {
        for (ulong seed = 1; seed <= 200; seed++)
        {
            var random = new SeededRandom(seed);
            var pool = new BufferPool();
            var arena = new Arena(pool, BufferOwner.Cache);
            int length = 2 + (int)random.NextBelow(200);
            var parts = new Reassembly();
            parts.Begin(length);
            var model = new Model(length);
            while (!model.IsComplete)
            {
                (int offset, int size) = model.IsMostlyFull ? model.AGap() : (-1, 0);
                if (offset < 0)
                {
                    offset = (int)random.NextBelow((ulong)length);
                    size = 1 + (int)random.NextBelow(20);
                }
                byte[] bytes = new byte[size];
                for (int index = 0; index < size; index++) bytes[index] = (byte)random.NextUInt64();
                Slice slice = arena.Copy(bytes);
                FragmentOutcome outcome = parts.Add(length, offset, slice);
                slice.Release();
                Assert.True(model.Add(offset, bytes) == outcome, $"seed {seed}: {size} bytes at {offset} of {length}");
                Assert.True(model.Received == parts.Received && model.IsComplete == parts.IsComplete, $"seed {seed}");
            }
            byte[] joined = new byte[length];
            parts.JoinInto(joined);
            Assert.True(model.Bytes.AsSpan().SequenceEqual(joined), $"seed {seed}: joined bytes");
            parts.Clear();
            arena.Close();
            Assert.Equal(0, pool.OutstandingChunks);
        }
    }

    [Theory]
    [InlineData(11, 0, 1)]
    [InlineData(10, 0, 0)]
    [InlineData(10, 10, 1)]
    [InlineData(10, 9, 2)]
    [InlineData(10, -1, 2)]
    [InlineData(10, int.MaxValue, 1)]
    public void WhatDoesNotFitTheMessageIsAContradiction(int messageLength, int offset, int length)
    {
        var parts = new Reassembly();
        parts.Begin(10);
        var slice = new Slice(new BufferPool().Rent(BufferOwner.Cache), 0, length);

        Assert.Equal(FragmentOutcome.Contradiction, parts.Add(messageLength, offset, slice));
        Assert.Equal(1, slice.Chunk!.References);
        Assert.Equal(0, parts.Count);
    }

    private sealed class Model(int length)
    {
        private readonly int[] _owner = new int[length];
        private readonly List<(int Offset, int Size)> _parts = [];

        public byte[] Bytes { get; } = new byte[length];

        public int Received => _owner.Count(owner => owner != 0);

        public bool IsComplete => Received == length;

        public bool IsMostlyFull => Received > length * 2 / 3;

        public (int Offset, int Size) AGap()
        {
            int offset = Array.IndexOf(_owner, 0);
            int end = offset;
            while (end < length && _owner[end] == 0) end++;
            return (offset, end - offset);
        }

        public FragmentOutcome Add(int offset, byte[] bytes)
        {
            if (offset + bytes.Length > length) return FragmentOutcome.Contradiction;
            if (_parts.Contains((offset, bytes.Length))) return FragmentOutcome.Duplicate;
            if (_owner.AsSpan(offset, bytes.Length).ContainsAnyExcept(0)) return FragmentOutcome.Contradiction;
            _parts.Add((offset, bytes.Length));
            _owner.AsSpan(offset, bytes.Length).Fill(1);
            bytes.CopyTo(Bytes, offset);
            return FragmentOutcome.Added;
        }
    }
}
