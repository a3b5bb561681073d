namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>What a gateway tells other sites of the order of its own.</summary>
internal enum OrderRecordKind : byte
{
    /// <summary>An entry of the own site.</summary>
    Entry = 1,

    /// <summary>How far the own site is, and what it has of others.</summary>
    Stamp = 2,

    /// <summary>An entry of any site, for one that lacks it before the view ends.</summary>
    Forward = 3,

    /// <summary>Who takes part, as the site knows it.</summary>
    State = 4,
}
