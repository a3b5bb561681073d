using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Presence;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Groups;

/// <summary>
/// Keeps a gateway in one group: reads what the own site sends, hands it to the life that is active or keeps it while
/// another gateway is, and joins again after an eviction. What nodes beside gateways send is of other sites, so it goes
/// nowhere. Its task runs on pool threads.
/// </summary>
internal sealed class GroupWorker(
    string name, QuickSilverNode node, GatewayPresence presence, SiteGatewayOptions options, GatewayFigures figures,
    GatewayLog log)
{
    private const int MostInboxMessages = 1 << 24;
    private const int MostSenders = 4096;

    private static readonly TimeSpan RejoinPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MissedPause = TimeSpan.FromSeconds(10);

    // How long a gateway that took over marks what it sends: the one before may have read it earlier.
    private static readonly TimeSpan AgainTime = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private readonly StandbyBuffer _kept = new(options.MaxWaitingBytesPerGroup);
    private readonly Dictionary<MemberId, SenderText> _senders = [];
    private readonly Rejoining _rejoining = new(RejoinPause);
    private SpanningGroup? _group;
    private Action? _wake;
    private Action? _waits;
    private Group? _joined;
    private Inbox? _inbox;
    private long _missedAt = long.MinValue;
    private long _letGoAt = long.MinValue;
    private long _againUntil;
    private int _keptCount;

    /// <summary>Name of the group.</summary>
    public string Name => name;

    /// <summary>What links know it by.</summary>
    public uint Number { get; } = GroupNumber.Of(name).Number;

    /// <summary>Messages that are kept. Any thread.</summary>
    public int Kept => Volatile.Read(ref _keptCount);

    /// <summary>Completes when the group was joined for the first time; faults when that failed.</summary>
    public Task FirstJoin => _rejoining.First;

    /// <summary>The handle on the group; null while it is not joined. Any thread.</summary>
    public Group? Joined => Volatile.Read(ref _joined);

    /// <summary>The group as the active life has it; null while none is. Any thread.</summary>
    public SpanningGroup? Group => Volatile.Read(ref _group);

    /// <summary>Bytes that wait to be read. Any thread.</summary>
    public long UnreadBytes => Volatile.Read(ref _inbox)?.UnreadBytes ?? 0;

    /// <summary>A life begins: what is kept goes to it first, then what is read.</summary>
    /// <param name="group">The group as it has it.</param>
    /// <param name="wake">Called when something waits for it.</param>
    /// <param name="waits">Called when reading begins to wait for other sites.</param>
    /// <param name="isSuccessor">True when another gateway of the site was active before.</param>
    public void Begin(SpanningGroup group, Action wake, Action waits, bool isSuccessor)
    {
        lock (_lock)
        {
            _againUntil = isSuccessor ? Environment.TickCount64 + (long)AgainTime.TotalMilliseconds : 0;
            foreach ((MemberId sender, ulong sequence) in _kept.Held) group.Sent.Begin(sender, sequence);
            while (_kept.TryTake(out OutgoingMessage message)) Offer(group, message);
            Volatile.Write(ref _keptCount, 0);
            (_group, _wake) = (group, wake);
            Volatile.Write(ref _waits, waits);
        }
        wake();
    }

    /// <summary>The active gateway tells that all other sites hold what a sender has sent, up to a number.</summary>
    public void OnHeld(MemberId sender, ulong sequence)
    {
        lock (_lock)
        {
            _kept.OnHeld(sender, sequence);
            Volatile.Write(ref _keptCount, _kept.Count);
        }
    }

    /// <summary>The life has ended.</summary>
    public void End()
    {
        lock (_lock) (_group, _wake) = (null, null);
    }

    /// <summary>Reads until it is cancelled or the node has ended.</summary>
    public Task ReadAsync(CancellationToken cancellationToken) =>
        _rejoining.RunAsync(
            StayAsync, refusal => log.Post(logger => Log.Rejoining(logger, options.Site, name, refusal.Message)),
            () => Volatile.Write(ref _joined, null), cancellationToken);

    private async Task StayAsync(CancellationToken cancellationToken)
    {
        await presence.BeJoinedAsync(cancellationToken).ConfigureAwait(false);
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
        _rejoining.OnJoined();
        await foreach (GroupEvent told in inbox.ReadEventsAsync(cancellationToken).ConfigureAwait(false))
        {
            switch (told)
            {
                case MessageReceived received:
                    await TakeAsync(received.Message, cancellationToken).ConfigureAwait(false);
                    break;
                case MessagesLost lost when Group is null:
                    if (lost.Reason == LossReason.Overflow) OnLetGo(Math.Max(1, lost.Count));
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
        if (presence.IsGateway(message.Sender)) return;
        if (Group is { } active)
        {
            Task room = active.Room.WaitAsync();
            if (!room.IsCompleted)
            {
                Volatile.Read(ref _waits)?.Invoke();
                await room.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        if (!_senders.TryGetValue(message.Sender, out SenderText? sender))
        {
            if (_senders.Count == MostSenders) _senders.Clear();
            sender = SenderText.Of(message.Sender, message.SenderName);
            _senders.Add(message.Sender, sender);
        }
        var outgoing = new OutgoingMessage(sender, message.Sequence, message.Payload, message.Sender);
        int gone = 0;
        lock (_lock)
        {
            if (_group is null || _wake is null)
            {
                gone = _kept.Add(outgoing);
                Volatile.Write(ref _keptCount, _kept.Count);
            }
            else if (!_kept.IsHeld(outgoing))
            {
                Offer(_group, outgoing);
                _wake();
            }
        }
        if (gone > 0) OnLetGo((ulong)gone);
    }

    private void Offer(SpanningGroup group, OutgoingMessage message)
    {
        group.Room.Take(message.Cost);
        group.Waiting.Enqueue(message with { IsAgain = Environment.TickCount64 < _againUntil });
        figures.OnForwarded();
    }

    private void OnLetGo(ulong count)
    {
        figures.OnLetGo(count);
        long now = Environment.TickCount64;
        if (_letGoAt != long.MinValue && now - _letGoAt < MissedPause.TotalMilliseconds) return;
        _letGoAt = now;
        log.Post(logger => Log.LetsGo(logger, options.Site, count, name));
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
