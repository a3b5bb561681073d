namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>What the order does without sites that cannot be reached. The same at all sites.</summary>
internal enum CutPolicy : byte
{
    /// <summary>It waits for them.</summary>
    Wait,

    /// <summary>More than half of all sites go on, and the others wait.</summary>
    Majority,

    /// <summary>Sites that reach each other go on.</summary>
    GoOn,
}
