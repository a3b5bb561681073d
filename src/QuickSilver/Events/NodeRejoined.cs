namespace QuickSilver;

/// <summary>An evicted node is back as a new incarnation; its groups have to be joined again.</summary>
/// <param name="Before">The id it had.</param>
/// <param name="After">The id it has.</param>
public sealed record NodeRejoined(MemberId Before, MemberId After) : NodeEvent;
