using System.Text;

namespace QuickSilver.WideArea;

/// <summary>
/// Keeps a gateway in one group: reads what the own site sends, publishes what other sites send, and joins again after
/// an eviction. Its tasks run on pool threads.
/// </summary>
internal sealed class GroupWorker(
    SpanningGroup group, QuickSilverNode node, GatewayPresence presence, SiteGatewayOptions options,
    Func<int, string> siteName, GatewayLoop loop, GatewayFigures figures, GatewayLog log)
{
    private const int MostInboxMessages = 1 << 24;
    private const int MostSenders = 4096;

    private static readonly TimeSpan RejoinPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan RetryPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan MissedPause = TimeSpan.FromSeconds(10);

    private readonly Dictionary<MemberId, SenderText> _senders = [];
    private readonly TaskCompletionSource _first = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Group? _joined;
    private Inbox? _inbox;
    private long _missedAt = long.MinValue;

    /// <summary>Completes when the group was joined for the first time; faults when that failed.</summary>
    public Task Joined => _first.Task;

    /// <summary>The group.</summary>
    public SpanningGroup Group => group;

    /// <summary>Bytes that wait to be read. Any thread.</summary>
    public long UnreadBytes => Volatile.Read(ref _inbox)?.UnreadBytes ?? 0;

    /// <summary>Reads until it is cancelled or the node has ended.</summary>
    public async Task ReadAsync(CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                await StayAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                _first.TrySetCanceled(cancellationToken);
                return;
            }
            catch (ObjectDisposedException ended)
            {
                _first.TrySetException(ended);
                return;
            }
            catch (Exception refusal)
            {
                if (_first.TrySetException(refusal)) return;
                log.Post(logger => Log.Rejoining(logger, options.Site, group.Name, refusal.Message));
            }
            Volatile.Write(ref _joined, null);
            await Task.Delay(RejoinPause, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Publishes until it is cancelled.</summary>
    public async Task PublishAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                IncomingBatch batch = await group.Incoming.Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
                string site = siteName(batch.Stream.Site);
                foreach (IncomingMessage message in batch.Messages)
                    await PublishAsync(site, message, cancellationToken).ConfigureAwait(false);
                loop.OnTaken(batch.Stream, batch.Number);
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }

    private async Task StayAsync(CancellationToken cancellationToken)
    {
        await presence.BeAloneAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false);
        await using Inbox inbox = node.CreateInbox(
            new InboxOptions { MaxBytes = options.MaxWaitingBytesPerGroup, MaxMessages = MostInboxMessages });
        Group joined = await node.JoinAsync(
            group.Name,
            new GroupOptions
            {
                Inbox = inbox,
                InboxMaxBytes = options.MaxWaitingBytesPerGroup,
                InboxMaxMessages = MostInboxMessages,
                Overflow = OverflowPolicy.DropNewest,
                SelfDelivery = false,
            },
            cancellationToken).ConfigureAwait(false);
        Volatile.Write(ref _joined, joined);
        Volatile.Write(ref _inbox, inbox);
        _first.TrySetResult();
        await foreach (GroupEvent told in inbox.ReadEventsAsync(cancellationToken).ConfigureAwait(false))
        {
            switch (told)
            {
                case MessageReceived received:
                    await ForwardAsync(received.Message, cancellationToken).ConfigureAwait(false);
                    break;
                case MessagesLost lost:
                    OnMissed(lost);
                    break;
                case GroupCompleted completed:
                    throw completed.Reason ?? (Exception)new ObjectDisposedException(nameof(QuickSilverNode));
            }
        }
    }

    private async ValueTask ForwardAsync(Message message, CancellationToken cancellationToken)
    {
        Task room = group.Room.WaitAsync();
        if (!room.IsCompleted) await room.WaitAsync(cancellationToken).ConfigureAwait(false);
        if (!_senders.TryGetValue(message.Sender, out SenderText? sender))
        {
            if (_senders.Count == MostSenders) _senders.Clear();
            sender = SenderText.Of(message.Sender, message.SenderName);
            _senders.Add(message.Sender, sender);
        }
        var outgoing = new OutgoingMessage(sender, message.Sequence, message.Payload);
        group.Room.Take(GatewayLoop.SizeOf(outgoing));
        group.Waiting.Enqueue(outgoing);
        figures.OnForwarded();
        loop.Wake();
    }

    private void OnMissed(MessagesLost lost)
    {
        figures.OnMissed(Math.Max(1, lost.Count));
        long now = Environment.TickCount64;
        if (_missedAt != long.MinValue && now - _missedAt < MissedPause.TotalMilliseconds) return;
        _missedAt = now;
        string reason = lost.Reason == LossReason.Overflow
            ? $"more than MaxWaitingBytesPerGroup wait, and site '{group.SlowSite}' is slow"
            : $"they did not reach the gateway: {lost.Reason}";
        ulong count = lost.Count;
        log.Post(logger => Log.MessagesMissed(logger, count, group.Name, options.Site, reason));
    }

    private async ValueTask PublishAsync(string site, IncomingMessage message, CancellationToken cancellationToken)
    {
        byte[] payload = options.NamesOrigins ? SiteMessage.Write(site, message) : message.Payload;
        while (true)
        {
            try
            {
                if (Volatile.Read(ref _joined) is { } joined)
                {
                    await joined.SendAsync(payload.AsMemory(), cancellationToken).ConfigureAwait(false);
                    figures.OnPublished();
                    return;
                }
            }
            catch (PayloadTooLargeException refusal)
            {
                figures.OnRefused();
                string why = $"{Encoding.UTF8.GetString(message.Sender.Name)} sent it. {refusal.Message}";
                log.Post(logger => Log.MessageRefused(logger, site, group.Name, options.Site, why));
                return;
            }
            catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
            {
                // The handle has ended, or nobody serves the membership: the reader joins again, or a server comes.
            }
            await Task.Delay(RetryPause, cancellationToken).ConfigureAwait(false);
        }
    }
}
