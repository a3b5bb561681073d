namespace QuickSilver;

/// <summary>A member that is behind in a region which the asked node is in or sends to, according to the token rounds:
/// it lacks packets at least 20 ms and one round old. A snapshot: it does not change.</summary>
/// <param name="Member">The member, possibly the asked node itself.</param>
/// <param name="Reason">Why it is behind.</param>
/// <param name="Packets">Largest number of one sender's packets that the member keeps from becoming stable; 0 if it
/// lacks none at the moment.</param>
/// <param name="Since">When it fell behind, by the machine's clock.</param>
/// <param name="Duration">How long it has been behind.</param>
/// <param name="HoldsUp">Whether the member holds up the messages sent to its regions and is not merely late. True once
/// it was behind for a second longer than it was not.</param>
/// <param name="Groups">Groups of the asked node that the affected regions belong to.</param>
/// <param name="Regions">Numbers of the affected regions, as in <see cref="RegionView.Id"/>.</param>
public sealed record MemberLag(
    Member Member,
    LagReason Reason,
    long Packets,
    DateTimeOffset Since,
    TimeSpan Duration,
    bool HoldsUp,
    IReadOnlyList<string> Groups,
    IReadOnlyList<ulong> Regions)
{
    /// <summary>A line for logs: "'host-4242-1' (10.0.0.5:15001/7), which does not answer (1,200 packets behind for
    /// 3.2 s)".</summary>
    public override string ToString() => Runtime.LagText.Of(this);
}
