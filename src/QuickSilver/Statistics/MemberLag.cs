namespace QuickSilver;

/// <summary>A member that is behind, as the rounds of the regions tell that a node is in or sends to: it lacks packets that are at least 20 ms and one
/// round old. A copy.</summary>
/// <param name="Member">The member. It may be the node that was asked.</param>
/// <param name="Reason">Why.</param>
/// <param name="Packets">Packets of one sender that cannot be stable for it, at most; 0 when it holds all for the moment.</param>
/// <param name="Since">When it fell behind, by the machine's clock.</param>
/// <param name="Duration">For how long it has been.</param>
/// <param name="HoldsUp">True once it has been behind for a second more than it was not: then it holds up what is sent to its regions, and is not
/// merely late.</param>
/// <param name="Groups">Groups of the asked node that the regions in question belong to.</param>
/// <param name="Regions">Numbers of these regions, as in <see cref="RegionView.Id"/>.</param>
public sealed record MemberLag(
    Member Member, LagReason Reason, long Packets, DateTimeOffset Since, TimeSpan Duration, bool HoldsUp, IReadOnlyList<string> Groups,
    IReadOnlyList<ulong> Regions)
{
    /// <summary>"'host-4242-1' (10.0.0.5:15001/7), which does not answer (1,200 packets behind for 3.2 s)".</summary>
    public override string ToString() => Runtime.LagText.Of(this);
}
