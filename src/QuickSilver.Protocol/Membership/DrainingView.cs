using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>A view in which something that this node sent is not known stable, ended or not.</summary>
/// <param name="View">The view.</param>
/// <param name="Heard">How often feedback on the node's stream has come from there; as long as it rises, members reach the sender.</param>
/// <param name="IsAnsweredElsewhere">Since the first of what is not known stable was sent, another view has shown that it holds something new from
/// this node: whatever is wrong, the node is heard, and hears.</param>
public readonly record struct DrainingView(ViewNumber View, ulong Heard, bool IsAnsweredElsewhere);
