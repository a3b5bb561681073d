namespace QuickSilver.WideArea;

/// <summary>
/// Keeps a gateway in one group: reads what the own site sends for the life that is active, and joins again after an
/// eviction. Its task runs on pool threads.
/// </summary>
internal sealed class GroupWorker(
    string name, QuickSilverNode node, GatewayPresence presence, SiteGatewayOptions options, GatewayFigures figures,
    GatewayLog log)
{
    private const int MostInboxMessages = 1 << 24;
    private const int MostSenders = 4096;

    private static readonly TimeSpan RejoinPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MissedPause = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private readonly Dictionary<MemberId, SenderText> _senders = [];
    private readonly TaskCompletionSource _first = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private SpanningGroup? _group;
    private GatewayLoop? _loop;
    private Group? _joined;
    private Inbox? _inbox;
    private long _missedAt = long.MinValue;

    /// <summary>Name of the group.</summary>
    public string Name => name;

    /// <summary>Completes when the group was joined for the first time; faults when that failed.</summary>
    public Task FirstJoin => _first.Task;

    /// <summary>The handle on the group; null while it is not joined. Any thread.</summary>
    public Group? Joined => Volatile.Read(ref _joined);

    /// <summary>The group as the active life has it; null while none is. Any thread.</summary>
    public SpanningGroup? Group => Volatile.Read(ref _group);

    /// <summary>Bytes that wait to be read. Any thread.</summary>
    public long UnreadBytes => Volatile.Read(ref _inbox)?.UnreadBytes ?? 0;

    /// <summary>A life begins: what is read goes to it.</summary>
    public void Begin(SpanningGroup group, GatewayLoop loop)
    {
        lock (_lock) (_group, _loop) = (group, loop);
    }

    /// <summary>The life has ended.</summary>
    public void End()
    {
        lock (_lock) (_group, _loop) = (null, null);
    }

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
                log.Post(logger => Log.Rejoining(logger, options.Site, name, refusal.Message));
            }
            Volatile.Write(ref _joined, null);
            await Task.Delay(RejoinPause, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task StayAsync(CancellationToken cancellationToken)
    {
        await presence.BeAloneAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false);
        await using Inbox inbox = node.CreateInbox(
            new InboxOptions { MaxBytes = options.MaxWaitingBytesPerGroup, MaxMessages = MostInboxMessages });
        Group joined = await node.JoinAsync(
            name,
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
                    await TakeAsync(received.Message, cancellationToken).ConfigureAwait(false);
                    break;
                case MessagesLost lost:
                    OnMissed(lost);
                    break;
                case GroupCompleted completed:
                    throw completed.Reason ?? (Exception)new ObjectDisposedException(nameof(QuickSilverNode));
            }
        }
    }

    private async ValueTask TakeAsync(Message message, CancellationToken cancellationToken)
    {
        if (Group is { } active)
        {
            Task room = active.Room.WaitAsync();
            if (!room.IsCompleted) await room.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        if (!_senders.TryGetValue(message.Sender, out SenderText? sender))
        {
            if (_senders.Count == MostSenders) _senders.Clear();
            sender = SenderText.Of(message.Sender, message.SenderName);
            _senders.Add(message.Sender, sender);
        }
        var outgoing = new OutgoingMessage(sender, message.Sequence, message.Payload);
        lock (_lock)
        {
            if (_group is null || _loop is null) return;
            _group.Room.Take(GatewayLoop.SizeOf(outgoing));
            _group.Waiting.Enqueue(outgoing);
            figures.OnForwarded();
            _loop.Wake();
        }
    }

    private void OnMissed(MessagesLost lost)
    {
        figures.OnMissed(Math.Max(1, lost.Count));
        long now = Environment.TickCount64;
        if (_missedAt != long.MinValue && now - _missedAt < MissedPause.TotalMilliseconds) return;
        _missedAt = now;
        string reason = lost.Reason == LossReason.Overflow
            ? $"more than MaxWaitingBytesPerGroup wait, and site '{Group?.SlowSite}' is slow"
            : $"they did not reach the gateway: {lost.Reason}";
        ulong count = lost.Count;
        log.Post(logger => Log.MessagesMissed(logger, count, name, options.Site, reason));
    }
}
