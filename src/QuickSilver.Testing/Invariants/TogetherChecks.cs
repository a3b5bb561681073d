using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// A message to several ordered groups has one place (O8): a member delivers it in all of those that it is in, with
/// nothing between, or is told in none that it came and in none that it is lost. O1 holds for each of its copies.
/// </summary>
internal sealed class TogetherChecks(RunContext run)
{
    private readonly Dictionary<Copy, Copy[]> _sent = [];
    private readonly Dictionary<int, Present> _present = [];
    private readonly HashSet<(int Node, Copy First)> _delivered = [];
    private readonly HashSet<(int Node, Copy First)> _lost = [];

    /// <summary>The mark of a message that is delivered in several groups of a node.</summary>
    public const string DeliveredMark = "a message is delivered in several ordered groups of a node";

    /// <summary>The mark of a message to several groups that is reported lost.</summary>
    public const string LostMark = "a message to several ordered groups is lost with its sender";

    /// <summary>A node sends a message to groups, where it has these numbers.</summary>
    public void OnSent(int sender, SimulatedGroup[] groups, ulong[] numbers)
    {
        Copy[] copies = [.. groups.Select((group, index) =>
            new Copy(group.Log.Index, group.Id.Counter, sender, numbers[index]))];
        foreach (Copy copy in copies) _sent.Add(copy, copies);
    }

    /// <summary>A message, of whatever kind, is delivered.</summary>
    public void OnMessage(SimulatedGroup session, int sender, ulong number)
    {
        int node = session.Node.Index;
        var copy = new Copy(session.Log.Index, session.Id.Counter, sender, number);
        Copy[]? all = _sent.GetValueOrDefault(copy);
        if (_present.TryGetValue(node, out Present? present))
        {
            if (all is not null && present.First == all[0])
            {
                present.Missing.Remove(copy);
                return;
            }
            Check(node, present);
        }
        if (all is null) return;
        if (!_delivered.Add((node, all[0])))
            throw run.Violation("O8", $"node {node} delivers {copy} apart from where it is in other groups");
        if (_lost.Contains((node, all[0])))
            throw run.Violation("O8", $"node {node} delivers {copy}, and was told that it is lost in another group");
        var missing = new HashSet<Copy>(all.Where(other => other != copy && IsOwed(session.Node, other)));
        if (missing.Count > 0) run.Mark(DeliveredMark);
        _present[node] = new Present(all[0], missing);
    }

    /// <summary>Messages are reported lost.</summary>
    public void OnLoss(SimulatedGroup session, int sender, ulong first, ulong count)
    {
        int node = session.Node.Index;
        for (ulong number = first; number < first + count; number++)
        {
            var copy = new Copy(session.Log.Index, session.Id.Counter, sender, number);
            if (!_sent.TryGetValue(copy, out Copy[]? all)) continue;
            if (_lost.Add((node, all[0]))) run.Mark(LostMark);
            if (_delivered.Contains((node, all[0])))
                throw run.Violation("O8", $"node {node} is told that {copy} is lost, and has it in another group");
        }
    }

    /// <summary>Nothing is under way: what was begun is whole.</summary>
    public void CheckWhole()
    {
        foreach ((int node, Present present) in _present.ToArray()) Check(node, present);
    }

    private void Check(int node, Present present)
    {
        _present.Remove(node);
        if (present.Missing.Count == 0) return;
        throw run.Violation(
            "O8",
            $"node {node} goes on without {string.Join(", ", present.Missing)}, which it has in another group");
    }

    // In a group that takes messages of the step in which it was sent.
    private static bool IsOwed(SimulatedNode node, Copy copy)
    {
        if (node.Stack.Rooms.Modes.Find(GroupModes.Ordered) is not OrderedEngine engine) return false;
        (Ring ring, ulong sequence) = engine.Parts.Delivering!.Value;
        return engine.Parts.FindGroup(copy.Id) is { } group && group.Takes(ring.Id.Term, ring.Log[sequence].Step);
    }

    private sealed record Present(Copy First, HashSet<Copy> Missing);

    private readonly record struct Copy(int Group, uint Id, int Sender, ulong Number)
    {
        public override string ToString() => $"message {Number} of node {Sender} to group {Group}";
    }
}
