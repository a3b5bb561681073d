using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// D1 to D5, checked at each delivery and loss report: what is delivered was sent exactly so; at most once; only to
/// members of the group view it was sent in; in the order of sending; and deliveries and losses leave no hole. Also
/// that no loss is reported while the sender lives (D7), nor of a message that was known stable (D8), and that a join
/// which has returned misses nothing sent afterwards (D9), and that lateral repairs come as soon as a run says (T3).
/// O(1) per message, beside the checksum of its bytes.
/// </summary>
internal sealed class DeliveryChecks(RunContext run, ViewChecks views)
{
    private readonly TimedChecks _timed = new(run);

    /// <summary>Messages delivered in the run.</summary>
    public ulong Delivered { get; private set; }

    /// <summary>A message was delivered.</summary>
    /// <returns>Index of the sender.</returns>
    public int OnMessage(SimulatedGroup session, in DeliveredMessage message)
    {
        ulong number = message.Number;
        int sender = views.NodeOf(message.Sender.Number.Key);
        if (sender < 0)
            throw run.Violation(
                "D1", $"{Where(session)} got message {number} of {message.Sender}, which never registered");
        ref ReceiverPlace place = ref session.PlaceOf(sender);
        if (!session.IsOpen)
            throw run.Violation("D3",
                $"{Where(session)} got message {number} of node {sender} after its session had ended");

        SenderLog? log = session.Log.Find(sender);
        if (log is null || !log.Has(number))
            throw run.Violation("D1", $"{Where(session)} got message {number} of node {sender}, which was never sent");
        if (session.Mode == GroupModes.Lateral) CheckOnce(session, sender, number, isLost: false);
        else if (!session.Log.IsTimed) CheckOrder(session, sender, number, log, ref place);
        ref SentMessage sent = ref log[number];
        uint checksum = Crc32C.Of(message.Payload.Span);
        if (message.Payload.Length != sent.Length || checksum != sent.Checksum)
        {
            throw run.Violation("D1",
                $"{Where(session)} got message {number} of node {sender} with {message.Payload.Length} bytes, checksum "
                + $"{checksum:x8}; sent "
                + $"were {sent.Length}, {sent.Checksum:x8}");
        }
        if (session.Log.IsTimed) _timed.OnMessage(session, sender, number, sent, LongestWay());
        else CheckAudience(session, sender, number, sent);
        if (session.Mode == GroupModes.Lateral) CheckDelay(session, sender, number, sent);
        session.CountDelivery(run.Now - sent.Admitted);
        run.Trace.Add(
            TraceKind.Delivery, run.Now,
            ((ulong)session.Node.Index << 48) | ((ulong)sender << 32) | (uint)session.Log.Index,
            number);
        Delivered++;
        return sender;
    }

    /// <summary>A loss was reported.</summary>
    public void OnLoss(SimulatedGroup session, NodeInfo from, ulong first, ulong count, bool senderLives)
    {
        int sender = views.NodeOf(from.Number.Key);
        if (sender < 0)
            throw run.Violation("D5", $"{Where(session)} was told of a loss from {from}, which never registered");
        run.Trace.Add(TraceKind.Loss, run.Now, ((ulong)session.Node.Index << 32) | (uint)sender, first);
        if (session.Mode == GroupModes.Lateral)
        {
            for (ulong number = first; number < first + count; number++)
                CheckOnce(session, sender, number, isLost: true);
            return;
        }
        if (session.Log.IsTimed)
        {
            _timed.OnLoss(session, sender, first, count);
            return;
        }
        if (senderLives)
        {
            throw run.Violation(
                "D7",
                $"{Where(session)} was told that messages {first}+{count} of node {sender} are lost, but that "
                + $"node lives");
        }
        ref ReceiverPlace place = ref session.PlaceOf(sender);
        if (count == 0)
        {
            place.MayJump = true;
            return;
        }
        if (place.Next != 0 && first != place.Next)
        {
            throw run.Violation(
                "D5",
                $"{Where(session)} expected message {place.Next} of node {sender} and was told that "
                + $"{first}+{count} are "
                    + $"lost");
        }
        SenderLog? log = session.Log.Find(sender);
        for (ulong number = first; number < first + count; number++)
        {
            if (log is not null && log.Has(number) && log[number].IsStable && Includes(session, log[number]))
            {
                throw run.Violation(
                    "D8", $"{Where(session)} lost message {number} of node {sender}, which was known stable");
            }
        }
        session.AddLoss(sender, first, count);
        if (place.First == 0) place.First = first;
        place.Next = first + count;
        place.MayJump = false;
    }

    /// <summary>A join has returned: from now on nothing may be missed.</summary>
    public static void OnJoinCompleted(SimulatedGroup session)
    {
        if (!session.Log.IsTimed) session.BeginByNow();
    }

    // A message is delivered or reported lost once: never both.
    private void CheckOnce(SimulatedGroup session, int sender, ulong number, bool isLost)
    {
        Dictionary<ulong, bool> numbers = session.UnorderedOf(sender);
        if (numbers.TryAdd(number, isLost)) return;
        throw run.Violation(
            "D2",
            $"{Where(session)} got message {number} of node {sender} {(isLost ? "as lost" : "")} a second time; the "
            + $"first time it was {(numbers[number] ? "lost" : "delivered")}");
    }

    // Where a run says how soon repairs come, they do.
    private void CheckDelay(SimulatedGroup session, int sender, ulong number, in SentMessage sent)
    {
        TimeSpan age = run.Now - sent.Admitted;
        if (sender == session.Node.Index || run.Options.LateralWithin is not { } limit || age <= limit) return;
        throw run.Violation("T3",
            $"{Where(session)} got message {number} of node {sender} when it was {age} old; repairs give it within "
            + $"{limit}");
    }

    // What a datagram may take from its making to its reading: the network, slow nodes, faults that delay kinds.
    private TimeSpan LongestWay() => run.LongestWay;

    private void CheckOrder(SimulatedGroup session, int sender, ulong number, SenderLog log, ref ReceiverPlace place)
    {
        if (place.Next == 0)
        {
            if (place.MustBeginBy != 0 && number > place.MustBeginBy && !place.MayJump)
            {
                throw run.Violation("D9",
                    $"{Where(session)} begins with message {number} of node {sender}; when its join returned, "
                    + $"{place.MustBeginBy} was the next "
                    + $"to be sent");
            }
            if (number > 1 && !place.MayJump && Includes(session, log[number - 1]))
            {
                throw run.Violation("D5",
                    $"{Where(session)} begins with message {number} of node {sender}, but {number - 1} was sent "
                    + $"in view "
                    + $"{log[number - 1].GroupView}, since its session began");
            }
            place.First = number;
        }
        else if (number < place.Next)
        {
            throw run.Violation(
                number >= place.First ? "D2" : "D4",
                $"{Where(session)} got message {number} of node {sender} when {place.Next} was next (its first was "
                    + $"{place.First})");
        }
        else if (number > place.Next && !place.MayJump)
        {
            throw run.Violation(
                "D5", $"{Where(session)} got message {number} of node {sender} when {place.Next} was next");
        }
        place.Next = number + 1;
        place.MayJump = false;
    }

    private void CheckAudience(SimulatedGroup session, int sender, ulong number, in SentMessage sent)
    {
        if (!sent.GroupView.IsNone && sent.GroupView < session.Began)
        {
            throw run.Violation("D9",
                $"{Where(session)} got message {number} of node {sender}, sent in group view {sent.GroupView}, "
                + $"before its "
                    + $"session began with {session.Began}");
        }
        StepNumber installed = session.Node.Stack.Cluster.Installed;
        if (sent.GroupView > installed)
        {
            throw run.Violation(
                "D3",
                $"{Where(session)} got message {number} of node {sender}, sent in group view {sent.GroupView}, at step "
                    + $"{installed}");
        }
        if (sent.GroupView.IsNone || views.FindGroupView(session.Id, sent.GroupView) is not { } members) return;
        if (!members.Contains(session.Node.Index))
        {
            throw run.Violation(
                "D3",
                $"{Where(session)} got message {number} of node {sender}, sent in group view {sent.GroupView} "
                + $"without it");
        }
    }

    private static bool Includes(SimulatedGroup session, in SentMessage message) =>
        message.IsNumbered && !message.GroupView.IsNone && message.GroupView >= session.Began;

    private static string Where(SimulatedGroup session) => $"node {session.Node.Index} in group {session.Name}";
}
