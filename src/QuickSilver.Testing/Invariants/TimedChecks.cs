using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// What timed groups promise of each delivery, beside D1: at most once (D2), nothing from before the join (D9), in the
/// sender's order (D5) or, with latest-only delivery, never an older state of an object after a newer one (T2), and
/// nothing after its time (T1). A loss is of messages that were not delivered. O(1) a message.
/// </summary>
internal sealed class TimedChecks(RunContext run)
{
    // A receiver knows the age of a message but for what its last datagram took on its way, and its rounding.
    private static readonly TimeSpan Rounding = TimeSpan.FromMilliseconds(1);

    private readonly Dictionary<(SimulatedGroup Session, int Sender), HashSet<ulong>> _got = [];
    private readonly Dictionary<(SimulatedGroup Session, int Sender, ulong Key), ulong> _latest = [];

    /// <summary>A message is delivered.</summary>
    public void OnMessage(SimulatedGroup session, int sender, ulong number, in SentMessage sent, TimeSpan onItsWay)
    {
        string message = $"node {session.Node.Index} in group {session.Name} got message {number} of node {sender}";
        if (sent.Step < session.Began)
            throw run.Violation("D9", $"{message}, taken in step {sent.Step}, before its stay that began with "
                + $"{session.Began}");
        TimeSpan age = run.Now - sent.Admitted;
        if (sender != session.Node.Index && age > sent.Life + onItsWay + Rounding)
            throw run.Violation("T1", $"{message} when it was {age} old; it was worth something for {sent.Life}");
        ref ReceiverPlace place = ref session.PlaceOf(sender);
        bool isLatest = run.Options.Timed.LatestOnly && sent.Key is not null;
        if (run.Options.Timed.LatestOnly)
        {
            if (!_got.TryGetValue((session, sender), out HashSet<ulong>? got))
                _got.Add((session, sender), got = []);
            if (!got.Add(number)) throw run.Violation("D2", $"{message} twice");
        }
        else if (number < place.Next)
        {
            throw run.Violation("D2", $"{message} when {place.Next} was next");
        }
        if (isLatest)
        {
            ulong before = _latest.GetValueOrDefault((session, sender, sent.Key!.Value));
            if (number < before) throw run.Violation("T2", $"{message} after {before}, which is about the same object");
            _latest[(session, sender, sent.Key.Value)] = number;
        }
        if (place.First == 0) place.First = number;
        if (number >= place.Next) place.Next = number + 1;
    }

    /// <summary>Messages are reported lost.</summary>
    public void OnLoss(SimulatedGroup session, int sender, ulong first, ulong count)
    {
        ref ReceiverPlace place = ref session.PlaceOf(sender);
        if (count == 0 || first == 0)
            throw run.Violation(
                "D5", $"node {session.Node.Index} in group {session.Name} is told of a loss of nothing");
        bool isDelivered = run.Options.Timed.LatestOnly
            ? _got.TryGetValue((session, sender), out HashSet<ulong>? got) && HasAny(got, first, count)
            : first < place.Next;
        if (isDelivered)
            throw run.Violation(
                "D5", $"node {session.Node.Index} in group {session.Name} is told that {first}+{count} of node "
                    + $"{sender} are lost, of which it got some");
        session.AddLoss(sender, first, count);
        if (place.First == 0) place.First = first;
        if (first + count > place.Next) place.Next = first + count;
    }

    private static bool HasAny(HashSet<ulong> got, ulong first, ulong count)
    {
        for (ulong number = first; number < first + count; number++)
        {
            if (got.Contains(number)) return true;
        }
        return false;
    }
}
