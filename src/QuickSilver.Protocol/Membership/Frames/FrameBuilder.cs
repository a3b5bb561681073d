using System.Buffers.Binary;
using System.Text;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// Writes frames of any length: the growing counterpart of <see cref="WireWriter"/>, in the same formats. Reused for
/// frame after frame; allocates only when a frame is longer than all before it. The room of a frame that was longer
/// than <see cref="KeptBytes"/> is given back by the next begin, as frames of thousands of groups are rare. Core thread
/// only.
/// </summary>
internal sealed class FrameBuilder
{
    /// <summary>The room that is kept from frame to frame, in bytes.</summary>
    public const int KeptBytes = 1 << 13;

    /// <summary>What the port of an IPv6 endpoint is greater by, in frames.</summary>
    internal const uint IPv6Port = ushort.MaxValue + 1;

    private const int FirstBytes = 256;

    private byte[] _bytes = new byte[FirstBytes];

    /// <summary>Bytes written since the frame was begun.</summary>
    public int Length { get; private set; }

    /// <summary>The frame as written so far; valid until the next call that writes.</summary>
    public ReadOnlySpan<byte> Span => _bytes.AsSpan(0, Length);

    /// <summary>Discards the bytes written and begins a frame.</summary>
    public FrameBuilder Begin(FrameKind kind) => Begin().WriteByte((byte)kind);

    /// <summary>Discards the bytes written and begins a piece of a frame; or nothing, after a frame that may have been
    /// long.</summary>
    public FrameBuilder Begin()
    {
        Length = 0;
        if (_bytes.Length > KeptBytes) _bytes = new byte[FirstBytes];
        return this;
    }

    /// <summary>Writes one byte.</summary>
    public FrameBuilder WriteByte(byte value)
    {
        Reserve(1)[0] = value;
        return this;
    }

    /// <summary>Writes four bytes, little-endian.</summary>
    public FrameBuilder WriteUInt32(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(Reserve(4), value);
        return this;
    }

    /// <summary>Writes eight bytes, little-endian.</summary>
    public FrameBuilder WriteUInt64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(Reserve(8), value);
        return this;
    }

    /// <summary>Writes a secret: 16 bytes, little-endian.</summary>
    public FrameBuilder WriteSecret(UInt128 value) => WriteUInt64((ulong)value).WriteUInt64((ulong)(value >> 64));

    /// <summary>Writes a canonical varint.</summary>
    public FrameBuilder WriteVarint(ulong value)
    {
        var writer = new WireWriter(Reserve(WireWriter.VarintLength(value)));
        writer.WriteVarint(value);
        return this;
    }

    /// <summary>Writes a signed varint in zigzag form.</summary>
    public FrameBuilder WriteSignedVarint(long value) => WriteVarint(Zigzag.Encode(value));

    /// <summary>Writes bytes as they are.</summary>
    public FrameBuilder WriteBytes(ReadOnlySpan<byte> value)
    {
        value.CopyTo(Reserve(value.Length));
        return this;
    }

    /// <summary>Writes a text: its length in bytes as a varint, then UTF-8.</summary>
    public FrameBuilder WriteText(string value)
    {
        int count = Encoding.UTF8.GetByteCount(value);
        WriteVarint((ulong)count);
        Encoding.UTF8.GetBytes(value, Reserve(count));
        return this;
    }

    /// <summary>Writes an address and a port, as <see cref="FrameFields.ReadEndpoint"/> reads them.</summary>
    public FrameBuilder WriteEndpoint(NetEndpoint value)
    {
        NetAddress address = value.Address;
        WriteUInt32(address.IPv4);
        return address.IsIPv6
            ? WriteVarint(IPv6Port + value.Port).WriteUInt32((uint)(address.Low >> 32)).WriteUInt64(address.High)
            : WriteVarint(value.Port);
    }

    /// <summary>Writes an epoch: its term (varint) and its server (eight bytes).</summary>
    public FrameBuilder WriteEpoch(Epoch value) => WriteVarint(value.Term).WriteUInt64(value.Server);

    /// <summary>Writes a step: its counter (varint), and unless that is 0, for none, its epoch.</summary>
    public FrameBuilder WriteStep(StepNumber value) =>
        value.IsNone ? WriteVarint(0) : WriteVarint(value.Counter).WriteEpoch(value.Epoch);

    /// <summary>Copies the frame.</summary>
    public byte[] ToArray() => Span.ToArray();

    private Span<byte> Reserve(int count)
    {
        if (_bytes.Length - Length < count)
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, Length + count));
        Span<byte> room = _bytes.AsSpan(Length, count);
        Length += count;
        return room;
    }
}
