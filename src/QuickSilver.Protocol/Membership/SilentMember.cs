namespace QuickSilver.Protocol.Membership;

/// <summary>A member of one of this node's region views that does not answer its ring, while its channel to the server may well stand.</summary>
/// <param name="Node">Key of its number.</param>
/// <param name="SilentFor">For how long it has answered nothing that this node asked it; zero when this is not this node's own finding.</param>
/// <param name="IsOwnFinding">True: this node asked it, more than once, and got no answer; false: a token says that others passed it over.</param>
public readonly record struct SilentMember(ulong Node, TimeSpan SilentFor, bool IsOwnFinding);
