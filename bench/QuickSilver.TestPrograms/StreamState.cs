namespace QuickSilver.TestPrograms;

/// <summary>What came from one sender in one group.</summary>
internal sealed class StreamState(string sender, string group)
{
    public string Sender { get; } = sender;

    public string Group { get; } = group;

    /// <summary>Sequence of the first message; above 1 for a subscriber that joined later.</summary>
    public ulong First { get; set; }

    /// <summary>Sequence of the latest message.</summary>
    public ulong Last { get; set; }

    public long Count { get; set; }

    public long Bytes { get; set; }

    /// <summary>A publisher generates or it sends text, never both: so damage to the magic is seen as damage.</summary>
    public bool IsGenerated { get; set; }

    /// <summary>What to add to an index to get the sequence: zero unless the publisher sent something else
    /// before.</summary>
    public ulong IndexOffset { get; set; }
}
