using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Telling;

/// <summary>
/// A gateway answers which sites hold a message.
/// <code>
/// head    2 bytes  TellingHead, kind 5
/// number  8 bytes  of the question
/// result  1 byte   SiteConfirmationResult; 255: not known yet
/// count   varint   sites, at most 128
/// sites   each: a name, and a byte, SiteReceiptState
/// </code>
/// </summary>
internal readonly record struct AnswerBody(
    ulong Number, SiteConfirmationResult? Result, IReadOnlyList<SiteReceipt> Sites)
{
    private const byte NotYet = 255;

    /// <summary>Writes it.</summary>
    public byte[] Write()
    {
        var bytes = new byte[TellingHead.Length + 8 + 1 + 2 + (Sites.Count * (TellingText.MaxLength + 1))];
        var writer = new WireWriter(bytes);
        TellingHead.Write(ref writer, TellingKind.Answer);
        writer.WriteUInt64(Number);
        writer.WriteByte(Result is { } result ? (byte)result : NotYet);
        writer.WriteVarint((ulong)Sites.Count);
        foreach (SiteReceipt receipt in Sites)
        {
            TellingText.Write(ref writer, receipt.Site);
            writer.WriteByte((byte)receipt.State);
        }
        return bytes[..writer.Written];
    }

    /// <summary>Reads it; false when it is another kind or malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out AnswerBody answer)
    {
        answer = default;
        if (TellingHead.KindOf(body) != TellingKind.Answer) return false;
        var reader = new WireReader(body[TellingHead.Length..]);
        ulong number = reader.ReadUInt64();
        byte result = reader.ReadByte();
        if (result != NotYet && !Enum.IsDefined((SiteConfirmationResult)result)) return false;
        int count = (int)reader.ReadVarint(SiteSet.MostSites);
        var sites = new List<SiteReceipt>();
        for (; count > 0 && !reader.Failed; count--)
        {
            string site = TellingText.Read(ref reader);
            var state = (SiteReceiptState)reader.ReadByte();
            if (!Enum.IsDefined(state)) return false;
            sites.Add(new SiteReceipt(site, state));
        }
        answer = new AnswerBody(number, result == NotYet ? null : (SiteConfirmationResult)result, sites);
        return reader.IsAtEnd;
    }
}
