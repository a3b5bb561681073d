using System.Buffers.Binary;
using System.Text;

namespace QuickSilver.Cli.Recordings;

/// <summary>Reads fields one after the other. After a field that is not there, all further ones are missing
/// too.</summary>
internal ref struct FieldReader
{
    private static readonly UTF8Encoding Strict = new(
        encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
    private ReadOnlySpan<byte> _rest;

    /// <summary>Reads fields.</summary>
    public FieldReader(ReadOnlySpan<byte> bytes) => _rest = bytes;

    /// <summary>False once a field was missing or was no text.</summary>
    public bool IsWhole { get; private set; } = true;

    /// <summary>The bytes after the fields that were read.</summary>
    public readonly int Left => _rest.Length;

    /// <summary>A byte; 0 if it is missing.</summary>
    public byte Byte() => Take(1) is [var value] ? value : (byte)0;

    /// <summary>A number of 4 bytes; 0 if it is missing.</summary>
    public uint UInt32() => Take(4) is { Length: 4 } bytes ? BinaryPrimitives.ReadUInt32LittleEndian(bytes) : 0;

    /// <summary>A number of 8 bytes; 0 if it is missing.</summary>
    public ulong UInt64() => Take(8) is { Length: 8 } bytes ? BinaryPrimitives.ReadUInt64LittleEndian(bytes) : 0;

    /// <summary>A text with its length in one byte; empty if it is missing.</summary>
    public string Text()
    {
        ReadOnlySpan<byte> bytes = Take(Byte());
        try
        {
            return Strict.GetString(bytes);
        }
        catch (DecoderFallbackException)
        {
            IsWhole = false;
            return "";
        }
    }

    private ReadOnlySpan<byte> Take(int count)
    {
        if (!IsWhole || _rest.Length < count)
        {
            IsWhole = false;
            return [];
        }
        ReadOnlySpan<byte> taken = _rest[..count];
        _rest = _rest[count..];
        return taken;
    }
}
