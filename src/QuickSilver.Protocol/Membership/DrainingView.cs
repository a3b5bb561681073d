using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>A view in which packets of this node are not known stable, whether its stream has ended or not.</summary>
/// <param name="View">The number of the view.</param>
/// <param name="Heard">Number of times that feedback on the node's stream has come from the view. While it rises,
/// members reach the sender.</param>
/// <param name="IsAnsweredElsewhere">True when another view has acknowledged newer packets of this node since the first
/// unstable one was sent. Then the node's sending and receiving works.</param>
internal readonly record struct DrainingView(ViewNumber View, ulong Heard, bool IsAnsweredElsewhere);
