using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Links;
using QuickSilver.WideArea.Telling;

namespace QuickSilver.WideArea.Running;

/// <summary>
/// Answers which sites hold messages of one group. A site holds a message when it has acknowledged the record in which
/// it ended, and promises that all members there hold what it acknowledges (<see cref="HeldPromise"/>). What a site has
/// held once counts, though its gateway begins again. Costs nothing while nobody asks. Loop thread only.
/// </summary>
internal sealed class Confirmer(
    GatewayPlan plan, Gateway gateway, SpanningGroup group, RosterExchange rosters, SiteTelling telling)
{
    private const int MostOpen = 4096;

    // How long a question counts after it was asked for the last time.
    private static readonly TimeSpan AskTime = TimeSpan.FromSeconds(5);

    // How long a site that has acknowledged a record may take to promise something.
    private static readonly TimeSpan PromiseTime = TimeSpan.FromSeconds(5);

    private readonly List<Question> _open = [];

    /// <summary>Takes what is asked, and answers what is known.</summary>
    public void Turn(Instant now)
    {
        while (group.Asks.TryDequeue(out ConfirmAsk ask)) Take(ask, now);
        for (int index = _open.Count - 1; index >= 0; index--)
        {
            Question question = _open[index];
            bool isOver = question.AskedAt + AskTime < now;
            if (!isOver && Look(question, now) is { } result)
            {
                Answer(question, result);
                isOver = true;
            }
            if (!isOver) continue;
            group.Sent.Leave(question.Ask.Sender, question.Ask.Sequence);
            _open.RemoveAt(index);
        }
    }

    private void Take(in ConfirmAsk ask, Instant now)
    {
        Debug.Assert(ask.Sequence > 0, "messages are counted from 1");
        group.Promise.IsWanted = true;
        foreach (Question known in _open)
        {
            if (known.Ask != ask) continue;
            known.AskedAt = now;
            Answer(known, null);
            return;
        }
        if (_open.Count < MostOpen) _open.Add(new Question(ask) { AskedAt = now });
    }

    private SiteConfirmationResult? Look(Question question, Instant now)
    {
        if (!question.IsFound)
        {
            SentPlace place = group.Sent.Find(question.Ask.Sender, question.Ask.Sequence, out ulong record);
            if (place == SentPlace.Missed) return SiteConfirmationResult.NotForwarded;
            if (place == SentPlace.NotYet) return null;
            // What all hold is in a record below the lowest.
            question.Record = place == SentPlace.InRecord ? record : gateway.LowestOf(group.Number) - 1;
            question.Sites = gateway.MembersOf(group.Number) | gateway.TargetsOf(group.Number);
            question.IsFound = true;
        }
        bool isOver = true;
        for (SiteSet rest = question.Sites; !rest.IsEmpty; rest = rest.Without(rest.First))
        {
            if (question.States.GetValueOrDefault(rest.First) != SiteReceiptState.Waiting) continue;
            SiteReceiptState state = StateOf(rest.First, question, now);
            if (state == SiteReceiptState.Waiting) isOver = false;
            else question.States[rest.First] = state;
        }
        return isOver ? SiteConfirmationResult.Told : null;
    }

    private SiteReceiptState StateOf(int site, Question question, Instant now)
    {
        bool isTarget = gateway.TargetsOf(group.Number).Contains(site);
        if (gateway.HeldOf(group.Number, site) < question.Record)
        {
            // Its last members have left: nothing is to be held there.
            if (!isTarget && !gateway.MembersOf(group.Number).Contains(site))
            {
                question.Sites = question.Sites.Without(site);
                return SiteReceiptState.Unknown;
            }
            if (!isTarget) return SiteReceiptState.Unreachable;
            // Its gateway has begun again after it held the record, and gets it no more.
            return question.Record < gateway.LowestOf(group.Number)
                ? SiteReceiptState.Unknown : SiteReceiptState.Waiting;
        }
        if (rosters.Of(site, group.Number) is { AcksWhenHeld: true }) return SiteReceiptState.Held;
        if (!question.TakenAt.TryGetValue(site, out Instant takenAt)) question.TakenAt[site] = takenAt = now;
        return now - takenAt < PromiseTime ? SiteReceiptState.Waiting : SiteReceiptState.Unknown;
    }

    // A gateway that is not in the group just now is asked again.
    private void Answer(Question question, SiteConfirmationResult? result)
    {
        var sites = new List<SiteReceipt>();
        for (SiteSet rest = question.Sites; !rest.IsEmpty; rest = rest.Without(rest.First))
            sites.Add(new SiteReceipt(plan.Map.NameOf(rest.First), question.States.GetValueOrDefault(rest.First)));
        _ = telling.TrySend(new AnswerBody(question.Ask.Number, result, sites).Write());
    }

    private sealed class Question(ConfirmAsk ask)
    {
        public ConfirmAsk Ask => ask;

        public Instant AskedAt { get; set; }

        public bool IsFound { get; set; }

        public ulong Record { get; set; }

        // Sites with members when it was found.
        public SiteSet Sites { get; set; }

        public Dictionary<int, SiteReceiptState> States { get; } = [];

        public Dictionary<int, Instant> TakenAt { get; } = [];
    }
}
