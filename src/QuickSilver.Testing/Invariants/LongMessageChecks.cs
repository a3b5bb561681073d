using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// L1 to L3: a long message that ends complete has exactly the bytes that its sender completed; one that ends
/// otherwise has a reason at its sender; and none stays open whose sender sends nothing more of it.
/// </summary>
internal sealed class LongMessageChecks(RunContext run, ViewChecks views)
{
    /// <summary>The first long message that is open at a living receiver, and not at its sender.</summary>
    public static (string Invariant, string Missing)? FindOpen(
        IReadOnlyList<SimulatedNode> nodes, Func<SimulatedNode, bool> isConcerned)
    {
        foreach (SimulatedNode node in nodes)
        {
            if (!isConcerned(node)) continue;
            foreach (SimulatedGroup session in node.Groups)
            {
                foreach (Incoming incoming in session.LongMessages)
                {
                    if (!incoming.Sent.IsOpen)
                        return ("L3", $"{Where(session)} waits for the end of {incoming}, which will not come");
                }
            }
        }
        return null;
    }

    /// <summary>A long message begins.</summary>
    /// <param name="session">The receiver.</param>
    /// <param name="from">The sender.</param>
    /// <param name="number">Number of its first piece.</param>
    public ILongMessageSink OnBegun(SimulatedGroup session, NodeInfo from, ulong number)
    {
        int sender = views.NodeOf(from.Number.Key);
        SenderLog? log = sender < 0 ? null : session.Log.Find(sender);
        if (log is null || !log.LongMessages.TryGetValue(number, out SentLongMessage? sent))
        {
            throw run.Violation(
                "L1", $"{Where(session)} begins a long message with message {number} of node {sender}, which is none");
        }
        var incoming = new Incoming(this, session, sender, number, sent);
        if (!session.LongMessages.Add(incoming)) throw run.Violation("L1", $"{Where(session)} begins {incoming} twice");
        return incoming;
    }

    private void OnEnded(Incoming incoming, LongMessageEnd end)
    {
        SimulatedGroup session = incoming.Session;
        SentLongMessage sent = incoming.Sent;
        session.LongMessages.Remove(incoming);
        switch (end)
        {
            case LongMessageEnd.Complete when !sent.IsComplete || !incoming.Content.Equals(sent.Content):
                throw run.Violation(
                    "L1",
                    $"{Where(session)} has completed {incoming} with {incoming.Content}; its sender has "
                    + $"{(sent.IsComplete ? "completed" : "not completed")} it with {sent.Content}");
            case LongMessageEnd.GivenUp when !sent.IsGivenUp:
                throw run.Violation(
                    "L2", $"{Where(session)} was told that {incoming} is given up, which its sender has not done");
            case LongMessageEnd.SenderGone or LongMessageEnd.Broken when sent.IsOpen:
                throw run.Violation(
                    "L2", $"{Where(session)} was told that {incoming} has ended ({end}), but its sender is there");
            case LongMessageEnd.Left when session.IsOpen:
                throw run.Violation("L2", $"{Where(session)} was told that it has left within {incoming}");
        }
    }

    private static string Where(SimulatedGroup session) => $"node {session.Node.Index} in group {session.Name}";

    /// <summary>A long message at a receiver.</summary>
    internal sealed class Incoming(
        LongMessageChecks checks, SimulatedGroup session, int sender, ulong number, SentLongMessage sent)
        : ILongMessageSink
    {
        public SimulatedGroup Session => session;

        public SentLongMessage Sent => sent;

        public ContentSum Content { get; } = new();

        public bool OnBytes(in Slice bytes)
        {
            Content.Add(bytes.Span);
            // Some readers have enough after a while.
            if (number % 7 != 0 || Content.Length < 2_000) return true;
            session.LongMessages.Remove(this);
            return false;
        }

        public void OnEnded(LongMessageEnd end) => checks.OnEnded(this, end);

        public override bool Equals(object? obj) =>
            obj is Incoming other && other.Sent == sent;

        public override int GetHashCode() => sent.GetHashCode();

        public override string ToString() => $"long message {sent.Id} of node {sender}, from message {number} on";
    }
}
