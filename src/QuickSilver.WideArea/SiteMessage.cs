using System.Text;
using QuickSilver.Protocol.Wire;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea;

/// <summary>
/// Reads the origin that a gateway puts in front of messages of other sites
/// (<see cref="SiteGatewayOptions.NamesOrigins"/>).
/// <code>
/// mark      8 bytes  "QiSOrig" and 1
/// site      a byte with its length, and the name as UTF-8
/// sender    as a site: the text form of its id
/// name      as a site: its readable name
/// sequence  varint
/// body      the rest
/// </code>
/// Stateless; any thread.
/// </summary>
public static class SiteMessage
{
    private const ulong Mark = 0x01_67_69_72_4F_53_69_51;

    /// <summary>Reads a message. Allocates the origin; the body is a part of the payload.</summary>
    /// <param name="payload">The message as it was received.</param>
    /// <param name="origin">Its origin; null for a message of the own site.</param>
    /// <returns>The message as it was sent: the payload itself where it has no origin.</returns>
    public static ReadOnlyMemory<byte> Read(ReadOnlyMemory<byte> payload, out SiteOrigin? origin)
    {
        origin = null;
        var reader = new WireReader(payload.Span);
        if (payload.Length < sizeof(ulong) || reader.ReadUInt64() != Mark) return payload;
        string site = ReadText(ref reader);
        string id = ReadText(ref reader);
        string name = ReadText(ref reader);
        ulong sequence = reader.ReadVarint();
        if (reader.Failed || !MemberId.TryParse(id, out MemberId sender)) return payload;
        origin = new SiteOrigin(site, sender, name, sequence);
        return payload[^reader.Remaining..];
    }

    /// <summary>Writes a message with its origin.</summary>
    internal static byte[] Write(string site, IncomingMessage message)
    {
        byte[] place = Encoding.UTF8.GetBytes(site);
        var bytes = new byte[8 + 3 + place.Length + message.Sender.Id.Length + message.Sender.Name.Length + 10
            + message.Payload.Length];
        var writer = new WireWriter(bytes);
        writer.WriteUInt64(Mark);
        WriteText(ref writer, place);
        WriteText(ref writer, message.Sender.Id);
        WriteText(ref writer, message.Sender.Name);
        writer.WriteVarint(message.Sequence);
        writer.WriteBytes(message.Payload);
        return bytes.AsSpan(0, writer.Written).ToArray();
    }

    private static void WriteText(ref WireWriter writer, byte[] text)
    {
        writer.WriteByte((byte)text.Length);
        writer.WriteBytes(text);
    }

    private static string ReadText(ref WireReader reader) =>
        Encoding.UTF8.GetString(reader.ReadBytes(reader.ReadByte()));
}
