using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>What a note says survives its way; what cannot be a packet's place is refused before anybody looks
/// there.</summary>
public sealed class NoteBodyTests
{
    private const int OffsetOffset = 24;
    private const int LengthOffset = 28;

    [Theory]
    [InlineData(0UL, 0U, 0U, 0U, 0U, 0, 0)]
    [InlineData(ulong.MaxValue, uint.MaxValue, uint.MaxValue, uint.MaxValue, uint.MaxValue, int.MaxValue,
        DatagramHeader.MaxDatagram)]
    [InlineData(1UL << 63, 1U, 2U, 3U, 1U << 31, 4, DatagramHeader.Length)]
    public void WhatIsWrittenIsRead(
        ulong key, uint process, uint descriptor, uint block, uint generation, int offset, int length)
    {
        var note = new NoteBody(
            new SegmentName(key, process, descriptor), new LentPlace(block, generation, offset, length));

        Assert.True(NoteBody.TryRead(Written(note), out NoteBody read));
        Assert.Equal(note, read);
        Assert.Equal(length == 0, read.IsOffer);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(NoteBody.Length - 1)]
    [InlineData(NoteBody.Length + 1)]
    [InlineData(2 * NoteBody.Length)]
    public void ABodyOfAnotherLengthIsRefused(int bytes)
    {
        var body = new byte[bytes];
        Written(WireSamples.Note).AsSpan(0, Math.Min(bytes, NoteBody.Length)).CopyTo(body);

        Assert.False(NoteBody.TryRead(body, out _));
    }

    [Theory]
    [InlineData(-1, 1400)]
    [InlineData(int.MinValue, 1400)]
    [InlineData(-1, 0)]
    public void ANegativeOffsetIsRefusedInAnOfferToo(int offset, int length) => Assert.False(TryRead(offset, length));

    [Theory]
    [InlineData(int.MinValue, false)]
    [InlineData(-1, false)]
    [InlineData(1, false)]
    [InlineData(DatagramHeader.Length - 1, false)]
    [InlineData(DatagramHeader.Length, true)]
    [InlineData(DatagramHeader.MaxDatagram, true)]
    [InlineData(DatagramHeader.MaxDatagram + 1, false)]
    [InlineData(int.MaxValue, false)]
    public void ALengthThatNoPacketHasIsRefused(int length, bool isRead) => Assert.Equal(isRead, TryRead(0, length));

    private static bool TryRead(int offset, int length)
    {
        byte[] body = Written(WireSamples.Note);
        BinaryPrimitives.WriteInt32LittleEndian(body.AsSpan(OffsetOffset), offset);
        BinaryPrimitives.WriteInt32LittleEndian(body.AsSpan(LengthOffset), length);
        return NoteBody.TryRead(body, out _);
    }

    private static byte[] Written(NoteBody note)
    {
        var body = new byte[NoteBody.Length];
        note.WriteTo(body);
        return body;
    }
}
