using System.Collections.Concurrent;
using System.Text;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Telling;

/// <summary>
/// Tells the other gateways who is in the groups here, in a stream of their own, and keeps what they tell. All is told
/// again when a site is reached or its gateway is another; else only what has changed. <see cref="Tell"/> and
/// <see cref="RunAsync"/> are for one task each; what is kept is for any thread.
/// </summary>
/// <param name="stream">The stream of gateways.</param>
/// <param name="members">Members of the groups that span sites.</param>
/// <param name="groups">Those groups, in the same order.</param>
/// <param name="reach">What the loop knows of sites.</param>
/// <param name="wake">Called when something waits for the loop.</param>
/// <param name="taken">Called when what came was taken.</param>
internal sealed class RosterExchange(
    SpanningGroup stream, IReadOnlyList<GroupWorker> members, IReadOnlyList<SpanningGroup> groups,
    Func<SiteReach> reach, Action wake, Action<IncomingBatch> taken)
{
    private static readonly SenderText Sender = new(Encoding.UTF8.GetBytes("gateway"), []);

    private readonly ConcurrentDictionary<(int Site, uint Group), SiteRoster> _rosters = new();
    private readonly Dictionary<uint, RosterBody> _told = [];
    private SiteReach? _reach;
    private ulong _sequence;

    /// <summary>What a site has told of a group; null when nothing of its present gateway is known.</summary>
    public SiteRoster? Of(int site, uint group) =>
        _rosters.TryGetValue((site, group), out SiteRoster? roster) && roster.Node == reach().Nodes[site]
            ? roster : null;

    /// <summary>Tells what has changed, unless something waits.</summary>
    public void Tell()
    {
        SiteReach now = reach();
        if (now != _reach) _told.Clear();
        _reach = now;
        HashSet<uint> asked = [.. _rosters.Where(one => one.Value.Asks && Of(one.Key.Site, one.Key.Group) is not null)
            .Select(static one => one.Key.Group)];
        for (int index = 0; index < groups.Count; index++)
        {
            SpanningGroup group = groups[index];
            if (asked.Contains(group.Number)) group.Promise.Ask(members[index].Joined);
            MemberRoster roster = group.Members?.Roster ?? MemberRoster.Empty;
            var body = new RosterBody(group.Number, group.Promise.IsKept, group.Promise.IsWanted, roster);
            if (_told.TryGetValue(group.Number, out RosterBody told) && told.IsLike(body)) continue;
            if (!stream.Waiting.IsEmpty) return;
            _told[group.Number] = body;
            var message = new OutgoingMessage(Sender, ++_sequence, body.Write());
            stream.Room.Take(message.Cost);
            stream.Waiting.Enqueue(message);
            wake();
        }
    }

    /// <summary>Takes what other gateways tell until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            await foreach (IncomingBatch batch in stream.Incoming.Reader.ReadAllAsync(cancellationToken)
                .ConfigureAwait(false))
            {
                foreach (IncomingMessage message in batch.Messages) Take(batch, message);
                taken(batch);
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }

    // What a gateway of another configuration names is not kept, nor what comes late of an earlier life.
    private void Take(in IncomingBatch batch, IncomingMessage message)
    {
        if (!RosterBody.TryRead(message.Payload, out RosterBody body)) return;
        if (!groups.Any(group => group.Number == body.Group)) return;
        (int, uint) key = (batch.Stream.Site, body.Group);
        if (_rosters.TryGetValue(key, out SiteRoster? known) && known.Node > batch.Stream.Node) return;
        _rosters[key] = new SiteRoster(batch.Stream.Node, body.Roster, body.AcksWhenHeld, body.Asks);
    }
}
