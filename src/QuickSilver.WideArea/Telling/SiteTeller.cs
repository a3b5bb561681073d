using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Presence;

namespace QuickSilver.WideArea.Telling;

/// <summary>Looks 20 times a second at what is to be told, to other gateways and to the own site, and takes what nodes
/// of the site ask. It looks at once when a group begins to wait for other sites, and soon again while much waits.
/// </summary>
internal sealed class SiteTeller(
    GatewayPresence presence, IReadOnlyList<SpanningGroup> groups, SiteTelling telling, PressureTeller pressure,
    RosterExchange rosters, DirectoryTeller directory, Action wake)
{
    private const int MostAsks = 4096;

    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan ShortPause = TimeSpan.FromMilliseconds(2);

    private TaskCompletionSource _soon = MakeSignal();

    /// <summary>Tells until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        long due = Environment.TickCount64;
        while (!cancellationToken.IsCancellationRequested)
        {
            await Task.Delay(ShortPause, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!pressure.IsNear) await PauseAsync(cancellationToken).ConfigureAwait(false);
            if (cancellationToken.IsCancellationRequested) return;
            pressure.Tell();
            if (Environment.TickCount64 < due) continue;
            due = Environment.TickCount64 + (long)LookPause.TotalMilliseconds;
            rosters.Tell();
            directory.Tell();
        }
    }

    /// <summary>Ends the pause before the next look. Any thread.</summary>
    public void LookSoon() => Volatile.Read(ref _soon).TrySetResult();

    /// <summary>Takes a message of the site's group. What is malformed changes nothing.</summary>
    public void OnMessage(Message message)
    {
        if (HelloBody.TryRead(message.Payload.Span, out bool isFirst)) directory.OnHello(isFirst);
        else if (AskBody.TryRead(message.Payload.Span, out AskBody ask)) OnAsk(message.Sender, ask);
    }

    private async Task PauseAsync(CancellationToken cancellationToken)
    {
        Task soon = _soon.Task;
        await Task.WhenAny(soon, Task.Delay(LookPause, cancellationToken)).ConfigureAwait(false);
        if (soon.IsCompleted) Volatile.Write(ref _soon, MakeSignal());
    }

    private static TaskCompletionSource MakeSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

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
