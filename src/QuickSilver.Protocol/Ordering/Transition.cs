using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// The end of a ring as the members of its groups are told of it: between the last message that has what the ring
/// promised and the first that has less. A safe message promised to be held by all of the ring. Between two rings it is
/// held by those that go on, unless one of them knows that all have it. All that go on together find the same place for
/// a group: they hold the same packets, and know the same of what all hold.
/// <para>
/// Source: the transitional configuration of extended virtual synchrony (Moser, Amir, Melliar-Smith, Agarwal, 1994).
/// Deviation: it is told once a view at most, to the groups alone that have such messages and lose a member
/// (docs/decisions/0158). Core thread only.
/// </para>
/// </summary>
/// <param name="ring">The ring that has ended.</param>
/// <param name="goOn">Its members that go on together.</param>
/// <param name="stable">All members of the ring hold all packets up to this.</param>
internal sealed class Transition(Ring ring, ReadOnlySpan<bool> goOn, ulong stable)
{
    private readonly bool[] _goOn = goOn.ToArray();

    /// <summary>True once a packet was passed over that is lost with its sender.</summary>
    public bool IsBehindHole { get; set; }

    /// <summary>True when a message ends with a record that has less than the ring's promise.</summary>
    public bool IsWeaker(in OrderedRecord record, ulong sequence) =>
        record.IsLast && (IsBehindHole || (record.IsSafe && sequence > stable));

    /// <summary>Tells a group's members who go on together, if a member of its present view does not.</summary>
    public void Tell(OrderedGroup group, Instant now)
    {
        group.KnowTransitionOf(ring);
        if (group.Member is not { } member) return;
        List<NodeInfo>? together = null;
        bool areAll = true;
        foreach (RegionView view in group.Layout.ViewsOf(group.Id))
        {
            foreach (NodeInfo node in view.MembersOf(group.Id))
            {
                int index = ring.IndexOf(node.Number.Key);
                if (index >= 0 && _goOn[index]) (together ??= []).Add(node);
                else areAll = false;
            }
        }
        if (!areAll && together is not null) member.ShowTransition?.Invoke(together, now);
    }
}
