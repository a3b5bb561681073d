namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>What a gateway tells other sites of the order of its own.</summary>
internal enum OrderRecordKind : byte
{
    /// <summary>An entry of the own site.</summary>
    Entry = 1,

    /// <summary>How far the own site is, and what it has of others.</summary>
    Stamp = 2,

    /// <summary>An entry of a third site, whose present life ends.</summary>
    Forward = 3,
}
