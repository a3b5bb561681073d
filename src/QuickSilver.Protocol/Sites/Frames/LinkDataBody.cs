using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>
/// Body of a <see cref="LinkKind.Data"/>: one numbered packet. It carries feedback for the other direction.
/// <code>
/// feedback  LinkFeedback
/// number    varint   the link number, from 1 in each epoch
/// record    the rest: a RecordHead, then its payload; at least a byte
/// </code>
/// </summary>
internal readonly ref struct LinkDataBody
{
    /// <summary>What the body adds to its record, at most, with so many ranges of missing numbers.</summary>
    public static int Overhead(int ranges) => LinkFeedback.LengthOf(ranges) + 10;

    /// <summary>Feedback for the other direction.</summary>
    public LinkFeedback Feedback { get; private init; }

    /// <summary>The link number.</summary>
    public ulong Number { get; private init; }

    /// <summary>The record.</summary>
    public ReadOnlySpan<byte> Record { get; private init; }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out LinkDataBody data)
    {
        var reader = new WireReader(body);
        LinkFeedback feedback = LinkFeedback.Read(ref reader);
        ulong number = reader.ReadVarint();
        data = new LinkDataBody
        {
            Feedback = feedback,
            Number = number,
            Record = reader.ReadBytes(reader.Remaining),
        };
        return !reader.Failed && number > 0 && !data.Record.IsEmpty;
    }
}
