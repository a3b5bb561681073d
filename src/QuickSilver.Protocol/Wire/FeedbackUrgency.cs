namespace QuickSilver.Protocol.Wire;

/// <summary>How soon a sender wants to hear what has become of its packets: what the region's leader paces its token rounds by. Ordered.</summary>
public enum FeedbackUrgency
{
    /// <summary>Nobody waits for it: rounds may be far apart.</summary>
    Low,

    /// <summary>Somebody waits until what was sent is stable, or the sender has fallen silent: the usual distance.</summary>
    Normal,

    /// <summary>The sender has used half of its window, or may not admit more: a round at once.</summary>
    Immediate,
}
