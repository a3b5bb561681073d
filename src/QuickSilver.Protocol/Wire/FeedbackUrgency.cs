namespace QuickSilver.Protocol.Wire;

/// <summary>
/// How soon a sender wants feedback on its packets; the region's leader paces its token rounds by it. Ordered.
/// </summary>
internal enum FeedbackUrgency
{
    /// <summary>Nobody waits for it: rounds may be far apart.</summary>
    Low,

    /// <summary>
    /// A caller waits until messages are stable, or the sender has fallen silent: the usual distance.
    /// </summary>
    Normal,

    /// <summary>The sender has used half of its window, or may not admit more: a round at once.</summary>
    Immediate,
}
