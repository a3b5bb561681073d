using QuickSilver.Protocol.Modes;

namespace QuickSilver.Protocol.Ordering;

/// <summary>How much a node sends in the ring of all ordered groups, and how patient it is.</summary>
internal sealed record RingSettings : ModeSettings
{
    /// <summary>Packets that a node sends at a visit of the token, at most.</summary>
    public int PersonalWindow { get; init; } = 20;

    /// <summary>Packets that all nodes together send in a round of the token, at most.</summary>
    public int GlobalWindow { get; init; } = 160;

    /// <summary>
    /// Packets of a visit that leave after the token, at most. 0: all leave before it, as in the original ring.
    /// </summary>
    public int AcceleratedWindow { get; init; } = 15;

    /// <summary>The first pause before a token, a report or a request is sent again.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromMilliseconds(20);
}
