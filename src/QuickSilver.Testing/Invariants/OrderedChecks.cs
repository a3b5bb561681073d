using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// What ordered groups promise beside D1 to D9: two nodes deliver two messages of any ordered groups in one order (O1);
/// none before a message that its sender had delivered when it sent it (O2); a safe one when every member of its ring
/// that lives, or all that go on together, hold it (O3); and members that go from one view of a group to the next
/// have delivered the same messages in it, in one order (O4). A transitional view has the same place and the same
/// members at all that it names (O5), and one that is told of it goes on (O6). A safe message before it, or where none
/// is told, is held by every member of the view, as one that goes on knows (O7). Messages to several groups:
/// <see cref="TogetherChecks"/>.
/// </summary>
internal sealed class OrderedChecks(RunContext run, ViewChecks views, Func<int, bool> lives,
    Func<int, SimulatedNode> nodes)
{
    private readonly Dictionary<int, List<Message>> _byNode = [];
    private readonly Dictionary<Message, int> _knownWhenSent = [];
    private readonly Dictionary<SimulatedGroup, Present> _present = [];
    private readonly Dictionary<(int Group, StepNumber From, StepNumber To), Passed> _passed = [];

    /// <summary>Messages to several groups.</summary>
    public TogetherChecks Together { get; } = new(run);

    /// <summary>A node sends a message.</summary>
    public void OnSent(int node, int group, ulong number) =>
        _knownWhenSent[new Message(group, node, number)] = ListOf(node).Count;

    /// <summary>A session is told of its view.</summary>
    public void OnView(SimulatedGroup session, StepNumber view)
    {
        if (session.IsPublisher) return;
        Present? before = _present.GetValueOrDefault(session);
        _present[session] = new Present(view);
        if (before is null) return;
        (int, StepNumber, StepNumber) step = (session.Log.Index, before.View, view);
        if (_passed.TryAdd(step, new Passed(session.Node.Index, before))) return;
        (int other, Present others) = _passed[step];
        string way = $"from view {before.View} of {session.Name} to {view}";
        if (!others.Messages.SequenceEqual(before.Messages))
            throw run.Violation("O4",
                $"node {session.Node.Index} goes {way} with {Text(before.Messages)}, node {other} with "
                + $"{Text(others.Messages)}");
        // A member that does not go on may have known of safe messages that all held them, and nobody else did.
        if (!others.Includes(session.Node.Index)) return;
        if (!before.Includes(other))
        {
            _passed[step] = new Passed(session.Node.Index, before);
            return;
        }
        if (others.ToldAfter != before.ToldAfter || !others.Together.SequenceEqual(before.Together))
            throw run.Violation("O5",
                $"node {session.Node.Index} goes {way} and is told {Text(before)}, node {other} {Text(others)}");
    }

    /// <summary>A session is told which members of its view go on together.</summary>
    public void OnTransition(SimulatedGroup session, List<int> together)
    {
        Present present = _present[session];
        if (present.ToldAfter >= 0 || !together.Contains(session.Node.Index))
            throw run.Violation("O6",
                $"node {session.Node.Index} is told that {string.Join(", ", together)} go on from view {present.View} "
                + $"of {session.Name}, and was told {Text(present)} before");
        present.ToldAfter = present.Messages.Count;
        present.Together = together;
    }

    /// <summary>A message is delivered.</summary>
    public void OnMessage(SimulatedGroup session, int sender, ulong number)
    {
        ListOf(session.Node.Index).Add(new Message(session.Log.Index, sender, number));
        _present.GetValueOrDefault(session)?.Messages.Add((sender, number));
        Together.OnMessage(session, sender, number);
        if (run.Options.Ordered.IsSafe) CheckHeld(session, sender, number);
    }

    /// <summary>The run has settled, or ends: what all nodes have delivered is compared.</summary>
    public void CheckOrder()
    {
        Together.CheckWhole();
        List<int> all = [.. _byNode.Keys.Order()];
        foreach (int node in all)
        {
            var places = new Dictionary<Message, int>();
            List<Message> list = _byNode[node];
            for (int place = 0; place < list.Count; place++) places[list[place]] = place;
            foreach (int other in all)
            {
                if (other != node) CheckPair(node, places, other);
                CheckCausal(node, list, places, other);
            }
        }
    }

    private void CheckPair(int node, Dictionary<Message, int> places, int other)
    {
        int last = -1;
        Message before = default;
        foreach (Message message in _byNode[other])
        {
            if (!places.TryGetValue(message, out int place)) continue;
            if (place < last)
                throw run.Violation("O1",
                    $"node {other} delivered {before} before {message}, node {node} the other way round");
            (last, before) = (place, message);
        }
    }

    // Whatever a sender had delivered when it sent comes before, where both come.
    private void CheckCausal(int node, List<Message> list, Dictionary<Message, int> places, int sender)
    {
        List<Message> known = _byNode[sender];
        int next = 0;
        int latest = -1;
        foreach (Message message in list)
        {
            if (message.Sender != sender || !_knownWhenSent.TryGetValue(message, out int count)) continue;
            for (; next < count; next++)
            {
                if (places.TryGetValue(known[next], out int place) && place > latest) latest = place;
            }
            if (places[message] < latest)
                throw run.Violation("O2",
                    $"node {node} delivered {message} before {list[latest]}, which its sender had delivered before "
                    + "it sent it");
        }
    }

    private void CheckHeld(SimulatedGroup session, int sender, ulong number)
    {
        if (session.Node.Stack.Rooms.Modes.Find(GroupModes.Ordered) is not OrderedEngine engine) return;
        (Ring ring, ulong sequence) = engine.Parts.Delivering!.Value;
        EndedRing? ended = engine.Recovery.Find(ring.Id);
        bool isTold = _present.GetValueOrDefault(session) is { ToldAfter: >= 0 };
        if (ended is not null && !isTold) CheckKnown(session, ended, sequence, number);
        for (int index = 0; index < ring.Members.Length; index++)
        {
            bool goesOn = ended is null || ended.Survivors[index];
            bool isOwed = goesOn || (!isTold && IsInView(session, ring.Members[index]));
            int member = views.NodeOf(ring.Members[index].Number.Key);
            if (!isOwed || member < 0 || !lives(member) || Holds(nodes(member), ring.Id, sequence)) continue;
            throw run.Violation(goesOn ? "O3" : "O7",
                $"node {session.Node.Index} in group {session.Name} got safe message {number} of node {sender}, packet "
                + $"{sequence} of ring {ring.Id}, which node {member} does not hold; "
                + $"{(ended is null ? "the ring runs" : "the ring has ended")} there, node {member} is in "
                + $"{(nodes(member).Stack.Rooms.Modes.Find(GroupModes.Ordered) as OrderedEngine)?.Ring?.Id}");
        }
    }

    // Who is dead cannot be asked. That all of the ring held the message is known to a member that goes on.
    private void CheckKnown(SimulatedGroup session, EndedRing ended, ulong sequence, ulong number)
    {
        NodeInfo[] members = ended.Ring.Members;
        bool isKnown = true;
        for (int index = 0; index < members.Length; index++)
            isKnown &= ended.Survivors[index] || !IsInView(session, members[index]);
        for (int index = 0; index < members.Length && !isKnown; index++)
        {
            int member = views.NodeOf(members[index].Number.Key);
            isKnown = ended.Survivors[index] && member >= 0
                && RingOf(nodes(member), ended.Ring.Id) is { } ring && ring.Turn.Stable >= sequence;
        }
        if (!isKnown)
            throw run.Violation("O7",
                $"node {session.Node.Index} in group {session.Name} got safe message {number}, packet {sequence} of "
                + $"ring {ended.Ring.Id}, and no member that goes on knew that all have it; "
                + "it was told of no transition");
    }

    private static Ring? RingOf(SimulatedNode node, RingId id)
    {
        if (node.Stack.Rooms.Modes.Find(GroupModes.Ordered) is not OrderedEngine engine) return null;
        return engine.Ring is { } present && present.Id == id ? present : engine.Recovery.Find(id)?.Ring;
    }

    private static bool IsInView(SimulatedGroup session, NodeInfo node)
    {
        foreach (Protocol.Membership.RegionView region in session.Local.Regions)
        {
            foreach (NodeInfo member in region.MembersOf(session.Id))
            {
                if (member.Number == node.Number) return true;
            }
        }
        return false;
    }

    private static bool Holds(SimulatedNode node, RingId id, ulong sequence)
    {
        if (RingOf(node, id) is { } ring) return ring.Log.Has(sequence);
        return node.Stack.Rooms.Modes.Find(GroupModes.Ordered) is not OrderedEngine { Ring: { } present }
            || present.Id > id;
    }

    private List<Message> ListOf(int node)
    {
        if (!_byNode.TryGetValue(node, out List<Message>? list)) _byNode.Add(node, list = []);
        return list;
    }

    private static string Text(List<(int Sender, ulong Number)> messages) =>
        $"{messages.Count} messages, the last {(messages.Count == 0 ? "none" : $"{messages[^1]}")}";

    private static string Text(Present present) =>
        present.ToldAfter < 0
            ? "of no transition"
            : $"after {present.ToldAfter} messages that {string.Join(", ", present.Together)} go on";

    // What a session has seen of its present view.
    private sealed class Present(StepNumber view)
    {
        public StepNumber View { get; } = view;

        public List<(int, ulong)> Messages { get; } = [];

        // Messages of the view before the transitional one; -1: none was told.
        public int ToldAfter { get; set; } = -1;

        public List<int> Together { get; set; } = [];

        // True unless it was told of a transition without a node.
        public bool Includes(int node) => ToldAfter < 0 || Together.Contains(node);
    }

    private readonly record struct Passed(int Node, Present Seen);

    private readonly record struct Message(int Group, int Sender, ulong Number)
    {
        public override string ToString() => $"message {Number} of node {Sender} to group {Group}";
    }
}
