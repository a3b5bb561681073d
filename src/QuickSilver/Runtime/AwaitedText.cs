using System.Text;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Stack;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>Describes the members that messages wait for, the slowest first, for exceptions and log records. Core
/// thread only.</summary>
internal static class AwaitedText
{
    private const int MaxNames = 8;

    /// <summary>Describes the members that the messages of several groups wait for.</summary>
    /// <param name="stack">The protocol of the node.</param>
    /// <param name="groups">The groups whose messages are pending.</param>
    /// <param name="isWaiting">True for a group of which messages wait in a stage.</param>
    /// <param name="ticket">The one message to describe; null for all.</param>
    /// <param name="now">The instant against which lags are measured.</param>
    public static string Of(
        NodeStack stack, IEnumerable<LocalGroup> groups, Predicate<LocalGroup> isWaiting, ConfirmTicket? ticket,
        Instant now) => Find(stack, groups, isWaiting, ticket, now).Text;

    /// <summary>Finds the members that the messages of several groups wait for, with the parameters of
    /// <see cref="Of"/>.</summary>
    /// <returns>The text, and those members that are behind or do not answer; where none is, all that are not known to
    /// hold everything.</returns>
    public static (string Text, IReadOnlyList<Member> Members) Find(
        NodeStack stack, IEnumerable<LocalGroup> groups, Predicate<LocalGroup> isWaiting, ConfirmTicket? ticket,
        Instant now)
    {
        var behind = new List<LaggingMember>();
        var silent = new List<NodeInfo>();
        var others = new List<NodeInfo>();
        bool waitsForStep = false;
        foreach (LocalGroup group in groups)
        {
            AwaitedMembers awaited = stack.FindAwaited(group, ticket, now, isWaiting(group));
            waitsForStep |= awaited.WaitsForStep;
            foreach (LaggingMember lag in awaited.Behind)
            {
                if (!behind.Exists(known => known.Member == lag.Member)) behind.Add(lag);
            }
            AddNew(silent, awaited.Silent);
            AddNew(others, awaited.Others);
        }
        behind.Sort(LaggingMember.CompareSlowestFirst);
        others.RemoveAll(silent.Contains);
        List<NodeInfo> slow = [.. behind.Select(static lag => lag.Member).Union(silent)];
        Member[] members =
            [.. (slow.Count > 0 ? slow : others).Select(static node => new Member(new MemberId(node), node.Name))];
        return (Describe(behind, silent, others, waitsForStep, now), members);
    }

    private static string Describe(
        List<LaggingMember> behind, List<NodeInfo> silent, List<NodeInfo> others, bool waitsForStep, Instant now)
    {
        var text = new StringBuilder();
        if (waitsForStep) text.Append("a change of the membership that is not in use yet");
        for (int index = 0; index < Math.Min(behind.Count, MaxNames); index++)
        {
            if (text.Length > 0) text.Append("; ");
            text.Append(LagText.Of(behind[index], now));
        }
        if (behind.Count > MaxNames)
            text.Append(" and ").Append(behind.Count - MaxNames).Append(" more that are behind");
        if (silent.Count > 0) Append(text, silent, silent.Count == 1 ? "which does not answer" : "which do not answer");
        if (others.Count > 0)
            Append(
                text, others,
                silent.Count + behind.Count > 0
                    ? "not known to hold everything either"
                    : "not known to hold everything");
        return text.Length > 0 ? text.ToString() : "nobody: what was sent is held by all";
    }

    private static void AddNew(List<NodeInfo> all, IReadOnlyList<NodeInfo> more)
    {
        foreach (NodeInfo node in more)
        {
            if (!all.Contains(node)) all.Add(node);
        }
    }

    private static void Append(StringBuilder text, List<NodeInfo> nodes, string how)
    {
        if (text.Length > 0) text.Append("; ");
        for (int index = 0; index < Math.Min(nodes.Count, MaxNames); index++)
        {
            if (index > 0) text.Append(", ");
            text.Append(QuotedName.Of(nodes[index].Name)).Append(" (").Append(new MemberId(nodes[index])).Append(')');
        }
        if (nodes.Count > MaxNames) text.Append(" and ").Append(nodes.Count - MaxNames).Append(" more");
        text.Append(", ").Append(how);
    }
}
