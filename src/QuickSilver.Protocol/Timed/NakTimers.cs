namespace QuickSilver.Protocol.Timed;

/// <summary>How long a receiver of a timed group waits before it asks for a packet.</summary>
internal enum NakTimers : byte
{
    /// <summary>
    /// Truncated exponential: most wait long, a few ask early, and their request stops the others. Source: RFC 5401.
    /// </summary>
    Exponential,

    /// <summary>Any time up to the longest, each equally likely: the paper's pseudo-random wait.</summary>
    Uniform,

    /// <summary>
    /// Scaled by the distance to the sender, as in SRM (Floyd et al., 1995): between two and four times the one-way
    /// delay.
    /// </summary>
    Distance,
}
