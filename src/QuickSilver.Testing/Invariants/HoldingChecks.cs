using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// The strict half of D8: what a member really has of a packet that its sender was told is stable. It must count it as
/// received, and if the packet is of its own partition it must keep it until it has itself been told that everybody
/// holds it. Looks into the member's rooms. O(views + streams of the member).
/// </summary>
internal static class HoldingChecks
{
    /// <summary>What is wrong with a member's holding of a packet.</summary>
    /// <param name="member">The member's protocol.</param>
    /// <param name="number">The view.</param>
    /// <param name="sender">Key of the sender.</param>
    /// <param name="sequence">The packet.</param>
    /// <returns>Null when nothing is, or the view has retired there.</returns>
    public static string? FindFault(NodeStack member, ViewNumber number, ulong sender, ulong sequence)
    {
        if (member.Rooms.Recoverer.Find(number.Tag, number.Counter) is not { } region) return null;
        foreach (StreamReceiver stream in region.Streams)
        {
            if (stream.Sender.Number.Key != sender) continue;
            if (!stream.Has(sequence)) return "has not received it";
            bool mine = region.View.Partitions.OfSequence(sequence) == region.View.Partitions.OfMember(region.Self);
            bool mayDrop = !mine || sequence <= stream.Cleanup || stream.Own is not null;
            return mayDrop
                || stream.TryGetPacket(sequence, out _) ? null : "has let it go, though it is of its partition";
        }
        return "has never heard of its stream";
    }
}
