using System.Diagnostics.CodeAnalysis;
using System.Text;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Ordering;

/// <summary>
/// What travels in the ordered group <see cref="Group"/> of a site. Texts are a byte with their length, and UTF-8.
/// <code>
/// version  1 byte   1
/// kind     1 byte   <see cref="RingKind"/>
/// local:   group, a text; payload, the rest
/// record:  site, 1 byte; sender's id and name, texts; its number, varint; the record, the rest
/// ask:     number, varint
/// state:   the asking member, a text; number of its ask, varint; members with the state: count, varint, and texts;
///          incarnation, varint; sites: 0, or 1 and as below and the state of the merge, the rest
/// fresh:   incarnation, varint; not 0
/// sites:   index of the own one, 1 byte; count, 1 byte; names, texts; <see cref="CutPolicy"/>, 1 byte
/// request: the asked member, a text; site, 1 byte; first and last entry, varints
/// entry:   sender's id and name, texts; its number, varint; the record, the rest
/// reach:   <see cref="SiteSet"/>
/// stands:  nothing
/// </code>
/// </summary>
internal static class RingBody
{
    /// <summary>The group.</summary>
    public const string Group = "quicksilver/order";

    /// <summary>Bytes around a payload, at most.</summary>
    public const int MostOverhead = 2 + 256;

    private const byte Version = 1;
    private const int LongestText = 256;

    /// <summary>Writes a message of a member.</summary>
    public static byte[] Local(string group, ReadOnlySpan<byte> payload)
    {
        byte[] name = Encoding.UTF8.GetBytes(group);
        var bytes = new byte[2 + 1 + name.Length + payload.Length];
        WireWriter writer = Begin(bytes, RingKind.Local);
        WriteText(ref writer, name);
        writer.WriteBytes(payload);
        return bytes;
    }

    /// <summary>Reads group and payload of the body of a message; false when it is malformed.</summary>
    public static bool TryReadContent(ReadOnlyMemory<byte> body, out string group, out ReadOnlyMemory<byte> payload)
    {
        var reader = new WireReader(body.Span);
        group = Encoding.UTF8.GetString(ReadText(ref reader));
        payload = reader.Failed ? default : body[^reader.Remaining..];
        return !reader.Failed && group.Length > 0;
    }

    /// <summary>Writes a record of another site.</summary>
    public static byte[] Record(
        int site, ReadOnlySpan<byte> sender, ReadOnlySpan<byte> name, ulong sequence, ReadOnlySpan<byte> record)
    {
        var bytes = new byte[2 + 1 + (2 * LongestText) + 10 + record.Length];
        WireWriter writer = Begin(bytes, RingKind.Record);
        writer.WriteByte((byte)site);
        WriteEntry(ref writer, sender, name, sequence, record);
        return bytes[..writer.Written];
    }

    /// <summary>Writes an entry for the gateway.</summary>
    public static byte[] Entry(OrderedEntry entry)
    {
        byte[] record = OrderRecord.Of(entry, isOwn: false).ToBytes();
        var bytes = new byte[2 + (2 * LongestText) + 10 + record.Length];
        WireWriter writer = Begin(bytes, RingKind.Entry);
        WriteEntry(
            ref writer, entry.Content?.Sender ?? [], entry.Content?.Name ?? [], entry.Content?.Sequence ?? 0, record);
        return bytes[..writer.Written];
    }

    /// <summary>Reads what follows the kind, or the site; false when it is malformed.</summary>
    public static bool TryReadEntry(
        ReadOnlyMemory<byte> rest, [NotNullWhen(true)] out OrderRecord? record, out OrderedContent? content)
    {
        var reader = new WireReader(rest.Span);
        byte[] sender = ReadText(ref reader).ToArray(), name = ReadText(ref reader).ToArray();
        ulong sequence = reader.ReadVarint();
        content = null;
        record = reader.Failed ? null : OrderRecord.Read(rest[^reader.Remaining..]);
        if (record is null) return false;
        if (!record.HasContent) return true;
        content = new OrderedContent(sender, name, sequence, record.Body);
        return TryReadContent(record.Body, out _, out _);
    }

    /// <summary>Writes an ask.</summary>
    public static byte[] Ask(ulong number) => WithNumber(RingKind.Ask, number);

    /// <summary>Writes that the state begins.</summary>
    public static byte[] Fresh(ulong incarnation) => WithNumber(RingKind.Fresh, incarnation);

    /// <summary>Writes the names of the sites.</summary>
    public static byte[] Sites(int own, IReadOnlyList<string> names, CutPolicy policy = CutPolicy.Wait)
    {
        var bytes = new byte[2 + 3 + (names.Count * LongestText)];
        WireWriter writer = Begin(bytes, RingKind.Sites);
        WriteSites(ref writer, own, names);
        writer.WriteByte((byte)policy);
        return bytes[..writer.Written];
    }

    /// <summary>Writes the names of the sites, without a head.</summary>
    public static void WriteSites(ref WireWriter writer, int own, IReadOnlyList<string> names)
    {
        writer.WriteByte((byte)own);
        writer.WriteByte((byte)names.Count);
        foreach (string name in names) WriteText(ref writer, Encoding.UTF8.GetBytes(name));
    }

    /// <summary>Reads the names of the sites; null when they are malformed.</summary>
    public static string[]? ReadSites(ref WireReader reader, out int own)
    {
        own = reader.ReadByte();
        int count = reader.ReadByte();
        if (reader.Failed || count is < 2 or > SiteSet.MostSites || own >= count) return null;
        var names = new string[count];
        for (int index = 0; index < count; index++) names[index] = Encoding.UTF8.GetString(ReadText(ref reader));
        return reader.Failed ? null : names;
    }

    /// <summary>Writes that a member is asked for entries.</summary>
    public static byte[] Request(MemberId member, int site, ulong first, ulong last)
    {
        var bytes = new byte[2 + LongestText + 21];
        WireWriter writer = Begin(bytes, RingKind.Request);
        WriteId(ref writer, member);
        writer.WriteByte((byte)site);
        writer.WriteVarint(first);
        writer.WriteVarint(last);
        return bytes[..writer.Written];
    }

    /// <summary>Writes which sites the gateway reaches.</summary>
    public static byte[] Reach(SiteSet sites)
    {
        var bytes = new byte[2 + SiteSet.MaxLength];
        WireWriter writer = Begin(bytes, RingKind.Reach);
        sites.Write(ref writer);
        return bytes[..writer.Written];
    }

    /// <summary>Writes that sites do not get on.</summary>
    public static byte[] Stands()
    {
        var bytes = new byte[2];
        Begin(bytes, RingKind.Stands);
        return bytes;
    }

    /// <summary>Begins a body.</summary>
    public static WireWriter Begin(Span<byte> bytes, RingKind kind)
    {
        var writer = new WireWriter(bytes);
        writer.WriteByte(Version);
        writer.WriteByte((byte)kind);
        return writer;
    }

    /// <summary>Reads version and kind; false when the version is another.</summary>
    public static bool TryReadKind(ReadOnlySpan<byte> body, out RingKind kind)
    {
        kind = body.Length < 2 ? default : (RingKind)body[1];
        return body.Length >= 2 && body[0] == Version;
    }

    /// <summary>Writes an id.</summary>
    public static void WriteId(ref WireWriter writer, MemberId id) =>
        WriteText(ref writer, Encoding.UTF8.GetBytes(id.ToString()));

    /// <summary>Reads an id; what is none fails the reader.</summary>
    public static MemberId ReadId(ref WireReader reader)
    {
        if (!MemberId.TryParse(Encoding.UTF8.GetString(ReadText(ref reader)), out MemberId id)) reader.Fail();
        return id;
    }

    private static byte[] WithNumber(RingKind kind, ulong number)
    {
        var bytes = new byte[2 + 10];
        WireWriter writer = Begin(bytes, kind);
        writer.WriteVarint(number);
        return bytes[..writer.Written];
    }

    private static void WriteEntry(
        ref WireWriter writer, ReadOnlySpan<byte> sender, ReadOnlySpan<byte> name, ulong sequence,
        ReadOnlySpan<byte> record)
    {
        WriteText(ref writer, sender);
        WriteText(ref writer, name);
        writer.WriteVarint(sequence);
        writer.WriteBytes(record);
    }

    private static void WriteText(ref WireWriter writer, ReadOnlySpan<byte> text)
    {
        writer.WriteByte((byte)text.Length);
        writer.WriteBytes(text);
    }

    private static ReadOnlySpan<byte> ReadText(ref WireReader reader) => reader.ReadBytes(reader.ReadByte());
}
