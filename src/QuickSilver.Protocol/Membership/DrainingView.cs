using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>A view in which something that this node sent is not known stable, ended or not.</summary>
/// <param name="View">The view.</param>
/// <param name="Heard">How often feedback on the node's stream has come from there; as long as it rises, members and sender reach each other.</param>
public readonly record struct DrainingView(ViewNumber View, ulong Heard);
