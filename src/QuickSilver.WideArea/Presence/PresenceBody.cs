using System.Text;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Presence;

/// <summary>
/// What the gateways of a site tell each other, in the group <see cref="GatewayPresence.Group"/>.
/// <code>
/// version  1 byte   1
/// kind     1 byte   1: a vote; 2: progress
/// a vote:
///   for     a byte with its length, and the text of the id
///   number  varint   of the claim
///   active  1 byte   1 when the sender is the active one; else 0
///   node    8 bytes  the highest number of a life that the sender knows
/// progress of a group, by its active gateway:
///   config  8 bytes  hash of the sites and links
///   group   varint   its number; not 0
///   senders varint, at most 16; each: id as in a vote, and a varint, the last message that all other sites hold
///   streams varint, at most 16; each: site 1 byte, node 8 bytes, and a varint, the last record that is published here
/// </code>
/// </summary>
internal static class PresenceBody
{
    /// <summary>Senders, and streams, of one message.</summary>
    public const int MostOfEach = 16;

    private const byte Version = 1;
    private const byte VoteKind = 1;
    private const byte ProgressKind = 2;
    private const int LongestId = 1 + byte.MaxValue;

    /// <summary>Writes a vote.</summary>
    public static byte[] Write(in ElectionVote vote)
    {
        Span<byte> bytes = stackalloc byte[2 + LongestId + 10 + 1 + 8];
        var writer = new WireWriter(bytes);
        writer.WriteByte(Version);
        writer.WriteByte(VoteKind);
        WriteId(ref writer, vote.For);
        writer.WriteVarint(vote.Number);
        writer.WriteByte(vote.IsActive ? (byte)1 : (byte)0);
        writer.WriteUInt64(vote.Node);
        return bytes[..writer.Written].ToArray();
    }

    /// <summary>Writes progress, in as many messages as it takes.</summary>
    public static IEnumerable<byte[]> Write(ulong configuration, GatewayProgress progress)
    {
        int most = Math.Max(progress.Held.Count, progress.Taken.Count);
        for (int start = 0; start < most; start += MostOfEach)
        {
            yield return Write(
                configuration, progress.Group, [.. progress.Held.Skip(start).Take(MostOfEach)],
                [.. progress.Taken.Skip(start).Take(MostOfEach)]);
        }
    }

    /// <summary>Reads a vote; false when it is another kind, or malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out ElectionVote vote)
    {
        vote = default;
        var reader = new WireReader(body);
        if (reader.ReadByte() != Version || reader.ReadByte() != VoteKind) return false;
        if (!TryReadId(ref reader, out MemberId member)) return false;
        ulong number = reader.ReadVarint();
        byte active = reader.ReadByte();
        ulong node = reader.ReadUInt64();
        vote = new ElectionVote(member, number, active == 1, node);
        return reader.IsAtEnd && active <= 1;
    }

    /// <summary>Reads progress; null when it is another kind, of another configuration, or malformed.</summary>
    public static GatewayProgress? ReadProgress(ReadOnlySpan<byte> body, ulong configuration)
    {
        var reader = new WireReader(body);
        if (reader.ReadByte() != Version || reader.ReadByte() != ProgressKind) return null;
        if (reader.ReadUInt64() != configuration) return null;
        uint group = (uint)reader.ReadVarint(uint.MaxValue);
        var held = new List<(MemberId, ulong)>();
        for (int count = (int)reader.ReadVarint(MostOfEach); count > 0 && !reader.Failed; count--)
        {
            if (!TryReadId(ref reader, out MemberId sender)) return null;
            held.Add((sender, reader.ReadVarint()));
        }
        var taken = new List<(StreamId, ulong)>();
        for (int count = (int)reader.ReadVarint(MostOfEach); count > 0 && !reader.Failed; count--)
        {
            int site = reader.ReadByte();
            ulong node = reader.ReadUInt64();
            taken.Add((new StreamId(site, node, group), reader.ReadVarint()));
        }
        return reader.IsAtEnd && group > 0 ? new GatewayProgress(group, held, taken) : null;
    }

    private static byte[] Write(
        ulong configuration, uint group, (MemberId Sender, ulong Sequence)[] held,
        (StreamId Stream, ulong Number)[] taken)
    {
        var bytes = new byte[2 + 8 + 5 + 1 + 1 + (held.Length * (LongestId + 10)) + (taken.Length * (1 + 8 + 10))];
        var writer = new WireWriter(bytes);
        writer.WriteByte(Version);
        writer.WriteByte(ProgressKind);
        writer.WriteUInt64(configuration);
        writer.WriteVarint(group);
        writer.WriteVarint((ulong)held.Length);
        foreach ((MemberId sender, ulong sequence) in held)
        {
            WriteId(ref writer, sender);
            writer.WriteVarint(sequence);
        }
        writer.WriteVarint((ulong)taken.Length);
        foreach ((StreamId stream, ulong number) in taken)
        {
            writer.WriteByte((byte)stream.Site);
            writer.WriteUInt64(stream.Node);
            writer.WriteVarint(number);
        }
        return bytes[..writer.Written];
    }

    private static void WriteId(ref WireWriter writer, MemberId id)
    {
        byte[] text = Encoding.UTF8.GetBytes(id.ToString());
        writer.WriteByte((byte)text.Length);
        writer.WriteBytes(text);
    }

    private static bool TryReadId(ref WireReader reader, out MemberId id) =>
        MemberId.TryParse(Encoding.UTF8.GetString(reader.ReadBytes(reader.ReadByte())), out id) && !reader.Failed;
}
