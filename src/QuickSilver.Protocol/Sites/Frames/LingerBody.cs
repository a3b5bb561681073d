using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>
/// Body of a <see cref="LinkKind.Linger"/>: packets are open and no feedback comes. The receiver answers at once.
/// <code>
/// feedback  LinkFeedback
/// highest   varint   the highest link number that was sent; at least 1
/// </code>
/// </summary>
internal readonly ref struct LingerBody
{
    /// <summary>Feedback for the other direction.</summary>
    public LinkFeedback Feedback { get; private init; }

    /// <summary>The highest link number that was sent.</summary>
    public ulong Highest { get; private init; }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out LingerBody linger)
    {
        var reader = new WireReader(body);
        LinkFeedback feedback = LinkFeedback.Read(ref reader);
        linger = new LingerBody { Feedback = feedback, Highest = reader.ReadVarint() };
        return reader.IsAtEnd && linger.Highest > 0;
    }
}
