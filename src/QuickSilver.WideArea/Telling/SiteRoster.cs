using QuickSilver.WideArea.Groups;

namespace QuickSilver.WideArea.Telling;

/// <summary>What a gateway of another site has told of a group. Immutable.</summary>
/// <param name="Node">Number of its life.</param>
/// <param name="Members">The members there.</param>
/// <param name="AcksWhenHeld">True when what it acknowledges, all members there hold.</param>
/// <param name="Asks">True when it asks other gateways for that.</param>
internal sealed record SiteRoster(ulong Node, MemberRoster Members, bool AcksWhenHeld, bool Asks);
