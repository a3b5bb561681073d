using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace QuickSilver.Cli.Recordings;

/// <summary>Writes the fields of headers and records one after the other into memory that is used again.</summary>
internal sealed class FieldWriter
{
    private readonly ArrayBufferWriter<byte> _bytes = new(256);

    /// <summary>The fields so far.</summary>
    public ReadOnlySpan<byte> Written => _bytes.WrittenSpan;

    /// <summary>Begins again.</summary>
    /// <returns>This writer.</returns>
    public FieldWriter Clear()
    {
        _bytes.ResetWrittenCount();
        return this;
    }

    /// <summary>Adds a byte.</summary>
    public FieldWriter Byte(byte value)
    {
        _bytes.GetSpan(1)[0] = value;
        _bytes.Advance(1);
        return this;
    }

    /// <summary>Adds a number of 4 bytes.</summary>
    public FieldWriter UInt32(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(_bytes.GetSpan(4), value);
        _bytes.Advance(4);
        return this;
    }

    /// <summary>Adds a number of 8 bytes.</summary>
    public FieldWriter UInt64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(_bytes.GetSpan(8), value);
        _bytes.Advance(8);
        return this;
    }

    /// <summary>Adds a text with its length in one byte.</summary>
    /// <exception cref="ArgumentException">The text is longer than the format takes.</exception>
    public FieldWriter Text(string text)
    {
        int length = Encoding.UTF8.GetByteCount(text);
        if (length > RecordingFormat.LongestText)
            throw new ArgumentException($"A name of {length} bytes is too long for a recording.", nameof(text));
        Byte((byte)length);
        Encoding.UTF8.GetBytes(text, _bytes);
        return this;
    }

    /// <summary>Adds bytes as they are.</summary>
    public FieldWriter Bytes(ReadOnlySpan<byte> bytes)
    {
        _bytes.Write(bytes);
        return this;
    }
}
