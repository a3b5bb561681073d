using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>A link number that has not come, though a higher one has.</summary>
internal struct Hole(ulong number, Instant since, bool isDue)
{
    /// <summary>The number.</summary>
    public readonly ulong Number = number;

    /// <summary>When a higher number came first.</summary>
    public readonly Instant Since = since;

    /// <summary>True when it is asked for without a wait: the sender has said that it sent it long ago.</summary>
    public readonly bool IsDue = isDue;

    /// <summary>How often it was asked for.</summary>
    public int Nacks;

    /// <summary>When it was asked for last.</summary>
    public Instant LastNack;
}
