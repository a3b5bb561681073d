using QuickSilver.Protocol.Membership;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// D7 and the late half of D8: what must have come to pass when a run has settled. Every message of a living sender has
/// its number, is known stable, and was delivered by every living node whose session began no later than the message's
/// view; of a sender that crashed, so was every message that was known stable.
/// </summary>
internal static class LivenessChecks
{
    /// <summary>The first promise not yet kept.</summary>
    /// <param name="nodes">All nodes of the run.</param>
    /// <param name="checks">What was sent.</param>
    /// <param name="isConcerned">True for living members whose promises are looked at.</param>
    /// <returns>The invariant and what is missing; null when all is well.</returns>
    public static (string Invariant, string Missing)? FindMissing(
        IReadOnlyList<SimulatedNode> nodes, ClusterChecks checks, Func<SimulatedNode, bool> isConcerned)
    {
        foreach (SimulatedNode sender in nodes)
        {
            foreach (GroupLog group in checks.Groups)
            {
                if (group.Find(sender.Index) is not { Count: > 0 } log) continue;
                if (isConcerned(sender) && FindUnfinished(sender, group, log) is { } unfinished) return unfinished;
                if (group.IsTimed) continue;
                foreach (SimulatedNode receiver in nodes)
                {
                    if (isConcerned(receiver) && receiver.FindGroup(group.Name) is { } session && session.Log == group
                        && FindUndelivered(sender, session, log, isConcerned(sender)) is { } undelivered)
                    {
                        return undelivered;
                    }
                }
            }
        }
        return null;
    }

    private static (string, string)? FindUnfinished(SimulatedNode sender, GroupLog group, SenderLog log)
    {
        SimulatedGroup[] sessions = [
            .. new[] { sender.FindGroup(group.Name), sender.FindPublisher(group.Name) }.OfType<SimulatedGroup>()
                .Where(session => session.Log == group)];
        if (sessions.Sum(session => session.Waiting) is > 0 and int unasked)
            return ("D7", $"node {sender.Index} has {unasked} messages to {group.Name} that nobody has asked for");
        if (log.IsPulled)
        {
            if (Array.Exists(sessions, session => session.Source is { EndlessBytes: > 0 }))
                return ("D7", $"node {sender.Index} sends to {group.Name} without end");
            long pending = sender.Stack.Rooms.DisseminationCounters.PendingMessages;
            return pending > 0
                ? ("D7", $"node {sender.Index} has {pending} messages pending, some of them to {group.Name}") : null;
        }
        if (log.Numbered < log.Count)
            return (
                "D7", $"node {sender.Index} has sent {log.Numbered} of {log.Count} messages admitted to {group.Name}");
        if (log.Stable < log.Count)
            return ("D7", $"node {sender.Index} knows {log.Stable} of its {log.Count} messages to {group.Name} stable");
        return null;
    }

    private static (string, string)? FindUndelivered(
        SimulatedNode sender, SimulatedGroup session, SenderLog log, bool isWell)
    {
        if (session.Mode == GroupModes.Lateral) return FindHole(sender, session, log, isWell);
        ulong last = LastOwed(sender, session, log, isWell);
        ref ReceiverPlace place = ref session.PlaceOf(sender.Index);
        if (place.Next > last || (last == 0)) return null;
        bool stable = log[last].IsStable;
        string got = place.Next == 0 ? "nothing" : $"{place.First} to {place.Next - 1}";
        string owed = stable ? $"{last}, known stable" : $"{last}";
        string missing =
            $"node {session.Node.Index} in group {session.Name} has delivered {got} of node {sender.Index}'s "
            + $"{log.Count} "
                + $"messages and is owed {owed}";
        return (session.Node == sender ? "D6" : stable ? "D8" : "D7", missing);
    }

    // Without order: everything up to the last that was delivered or reported lost, since the session began. If the
    // first of these is lost, only it could have told that others came before it.
    private static (string, string)? FindHole(
        SimulatedNode sender, SimulatedGroup session, SenderLog log, bool isWell)
    {
        Dictionary<ulong, bool> numbers = session.UnorderedOf(sender.Index);
        if (!isWell || numbers.Count == 0) return null;
        ulong first = numbers.Keys.Min();
        ulong last = numbers.Keys.Max();
        for (ulong number = numbers[first] ? first : 1; number < last; number++)
        {
            ref SentMessage message = ref log[number];
            bool isOwed = message.IsNumbered && !message.GroupView.IsNone && message.GroupView >= session.Began;
            if (!isOwed || numbers.ContainsKey(number)) continue;
            return (
                "D5",
                $"node {session.Node.Index} in group {session.Name} has neither delivered nor reported lost message "
                + $"{number} of node {sender.Index}, of {last} that it has heard of");
        }
        return null;
    }

    // Views rise with the numbers of messages, so the last message that is owed is the last one, or none; of a sender
    // that ended, or is not heard, the last that was stable.
    private static ulong LastOwed(SimulatedNode sender, SimulatedGroup session, SenderLog log, bool isWell)
    {
        for (ulong number = (ulong)log.Count; number > 0; number--)
        {
            ref SentMessage message = ref log[number];
            if (!isWell && !message.IsStable) continue;
            if (log.IsPulled && !message.IsNumbered)
                return session.IsJoined && session.PlaceOf(sender.Index).MustBeginBy <= number ? number : 0;
            return message.IsNumbered && message.GroupView >= session.Began ? number : 0;
        }
        return 0;
    }
}
