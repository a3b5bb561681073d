using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace QuickSilver.Typed;

/// <summary>
/// What stands around the value of a typed message; docs/protocol.md has the same table. Numbers are little-endian.
/// <code>
/// offset  bytes  content
/// 0       1      0xE1: mark of a typed message, and version 1
/// 1       1      flags: bit 0, headers follow; other bits are 0
///         2      with headers: length H of what follows up to the value
///         H      with headers: for each a length byte and the name, then a length of 2 bytes and the value, as UTF-8
///         rest   the value, as its serializer writes it
/// </code>
/// </summary>
internal static class Envelope
{
    /// <summary>Bytes of an envelope without headers.</summary>
    public const int Bytes = 2;

    /// <summary>Strict UTF-8.</summary>
    public static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private const byte Mark = 0xE1;
    private const byte HasHeaders = 1;

    /// <summary>Writes an envelope.</summary>
    public static void Write(IBufferWriter<byte> writer, MessageHeaders headers)
    {
        Span<byte> room = writer.GetSpan(Bytes);
        room[0] = Mark;
        room[1] = headers.Count == 0 ? (byte)0 : HasHeaders;
        writer.Advance(Bytes);
        if (headers.Count > 0) WriteHeaders(writer, headers);
    }

    /// <summary>Reads an envelope.</summary>
    /// <param name="message">The message.</param>
    /// <param name="headers">Its headers; null if there are none.</param>
    /// <returns>Where the value begins.</returns>
    /// <exception cref="FormatException">The envelope breaks the format.</exception>
    public static int Read(ReadOnlySpan<byte> message, out MessageHeaders? headers)
    {
        headers = null;
        if (message.Length < Bytes || message[0] != Mark) throw new FormatException("It is no typed message.");
        if (message[1] == 0) return Bytes;
        if (message[1] != HasHeaders) throw new FormatException($"Its flags are 0x{message[1]:X2}.");
        if (message.Length < Bytes + 2) throw new FormatException("Its headers are cut short.");
        int length = BinaryPrimitives.ReadUInt16LittleEndian(message[Bytes..]);
        if (length > message.Length - Bytes - 2) throw new FormatException("Its headers are longer than it is.");
        headers = ReadHeaders(message.Slice(Bytes + 2, length));
        return Bytes + 2 + length;
    }

    private static void WriteHeaders(IBufferWriter<byte> writer, MessageHeaders headers)
    {
        int length = 0;
        foreach ((string name, string value) in headers)
            length += 3 + Utf8.GetByteCount(name) + Utf8.GetByteCount(value);
        if (length > ushort.MaxValue)
            throw new ArgumentException($"The headers take {length} bytes, and {ushort.MaxValue} are the limit.");
        Span<byte> room = writer.GetSpan(2 + length);
        BinaryPrimitives.WriteUInt16LittleEndian(room, (ushort)length);
        int at = 2;
        foreach ((string name, string value) in headers)
        {
            int written = Utf8.GetBytes(name, room[(at + 1)..]);
            room[at] = (byte)written;
            at += 1 + written;
            written = Utf8.GetBytes(value, room[(at + 2)..]);
            BinaryPrimitives.WriteUInt16LittleEndian(room[at..], (ushort)written);
            at += 2 + written;
        }
        writer.Advance(2 + length);
    }

    private static MessageHeaders ReadHeaders(ReadOnlySpan<byte> rest)
    {
        var entries = new List<KeyValuePair<string, string>>();
        while (rest.Length > 0)
        {
            if (entries.Count == MessageHeaders.MostOnTheWire) throw new FormatException("It has too many headers.");
            string name = ReadText(ref rest, rest[0], 1, 1, MessageHeaders.LongestName);
            if (rest.Length < 2) throw new FormatException("A header is cut short.");
            string value = ReadText(
                ref rest, BinaryPrimitives.ReadUInt16LittleEndian(rest), 2, 0, MessageHeaders.LongestValue);
            entries.Add(new(name, value));
        }
        return MessageHeaders.Trusted([.. entries]);
    }

    private static string ReadText(ref ReadOnlySpan<byte> rest, int length, int prefix, int least, int most)
    {
        if (length < least || length > most || length > rest.Length - prefix)
            throw new FormatException("A header's length is wrong.");
        try
        {
            string text = Utf8.GetString(rest.Slice(prefix, length));
            rest = rest[(prefix + length)..];
            return text;
        }
        catch (DecoderFallbackException fault)
        {
            throw new FormatException("A header is no UTF-8.", fault);
        }
    }
}
