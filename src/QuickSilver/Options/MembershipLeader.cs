namespace QuickSilver;

/// <summary>The process that serves a cluster's membership, as an election knows it. Immutable.</summary>
/// <param name="EndPoint">Where it serves: <see cref="MembershipCandidate.EndPoint"/> of its campaign.</param>
/// <param name="Term">The term of its lease.</param>
public sealed record MembershipLeader(string EndPoint, long Term);
