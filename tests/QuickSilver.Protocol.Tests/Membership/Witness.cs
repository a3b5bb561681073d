using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>What nodes of a <see cref="MembershipWorld"/> are made to say of each other in their heartbeats.</summary>
internal static class Witness
{
    /// <summary>Has asked a node itself, in vain, for so long.</summary>
    public static void Accuse(this NodeObservations observed, WorldNode accused, TimeSpan silentFor) =>
        observed.Silent.Add(new SilentMember(Key(accused), silentFor, IsOwnFinding: true));

    /// <summary>Has asked a node itself, in vain, since time began.</summary>
    public static void Accuse(this NodeObservations observed, WorldNode accused, Instant now) =>
        observed.Accuse(accused, now - Instant.Zero);

    /// <summary>Has been told by a token that a node does not answer.</summary>
    public static void Hearsay(this NodeObservations observed, WorldNode accused) =>
        observed.Silent.Add(new SilentMember(Key(accused), TimeSpan.Zero, IsOwnFinding: false));

    /// <summary>Has got no packet from a node since time began.</summary>
    public static void Block(this NodeObservations observed, WorldNode from, Instant now) =>
        observed.Blocked.Add(new BlockedPath(Key(from), now - Instant.Zero));

    /// <summary>Waits for all views that a sender is not done with.</summary>
    /// <param name="observed">What the sender says.</param>
    /// <param name="sender">The sender.</param>
    /// <param name="heard">How often it has had feedback from each.</param>
    /// <param name="isAnswered">True when other views answer it.</param>
    public static void AwaitDrain(this NodeObservations observed, WorldNode sender, ulong heard, bool isAnswered)
    {
        foreach (ViewNumber view in sender.Undone) observed.Draining.Add(new DrainingView(view, heard, isAnswered));
    }

    private static ulong Key(WorldNode node) => node.Agent.Cluster.Self!.Number.Key;
}
