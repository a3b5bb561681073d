using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Presence;

namespace QuickSilver.WideArea.Telling;

/// <summary>Looks 20 times a second at what is to be told, to other gateways and to the own site, and takes what nodes
/// of the site ask.</summary>
internal sealed class SiteTeller(
    GatewayPresence presence, IReadOnlyList<SpanningGroup> groups, SiteTelling telling, PressureTeller pressure,
    RosterExchange rosters, DirectoryTeller directory, Action wake)
{
    private const int MostAsks = 4096;

    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(50);

    /// <summary>Tells until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            await Task.Delay(LookPause, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (cancellationToken.IsCancellationRequested) return;
            pressure.Tell();
            rosters.Tell();
            directory.Tell();
        }
    }

    /// <summary>Takes a message of the site's group. What is malformed changes nothing.</summary>
    public void OnMessage(Message message)
    {
        if (HelloBody.TryRead(message.Payload.Span, out bool isFirst)) directory.OnHello(isFirst);
        else if (AskBody.TryRead(message.Payload.Span, out AskBody ask)) OnAsk(message.Sender, ask);
    }

    private void OnAsk(MemberId sender, in AskBody ask)
    {
        string name = ask.Group;
        SpanningGroup? group = groups.FirstOrDefault(one => one.Name == name);
        if (group is null || presence.IsGateway(sender))
        {
            SiteConfirmationResult result = group is null
                ? SiteConfirmationResult.NotSpanning : SiteConfirmationResult.NotForwarded;
            _ = telling.TrySend(new AnswerBody(ask.Number, result, []).Write());
            return;
        }
        // It is asked again.
        if (group.Asks.Count >= MostAsks) return;
        group.Asks.Enqueue(new ConfirmAsk(sender, ask.Sequence, ask.Number));
        wake();
    }
}
