using QuickSilver.Runtime;

namespace QuickSilver.WideArea.Presence;

/// <summary>
/// The gateways of a cluster, in the group <see cref="Group"/>: votes on which is active
/// (<see cref="GatewayElection"/>), and hears what the active one tells. A gateway is in this group before it is in any
/// that spans sites. One that has died is in the view until the cluster has noticed. Its task runs on pool threads;
/// members may be called from any.
/// </summary>
internal sealed class GatewayPresence(QuickSilverNode node, string site, ulong configuration) : IAsyncDisposable
{
    /// <summary>The group in which gateways meet.</summary>
    public const string Group = "quicksilver/gateways";

    private const int MostGateways = 4096;

    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan RepeatPause = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan RejoinPause = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan LeaveTimeout = TimeSpan.FromSeconds(2);
    private static readonly HashSet<QuickSilverNode> Nodes = [];

    private readonly Lock _lock = new();
    private readonly HashSet<MemberId> _gateways = [];
    private HashSet<MemberId> _present = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly Rejoining _rejoining = new(RejoinPause);
    private GatewayElection? _election;
    private Group? _joined;
    private Task _running = Task.CompletedTask;
    private ulong _node;
    private int _joins;
    private bool _hasNode;

    /// <summary>Completes when the group was joined for the first time; faults when that failed.</summary>
    public Task FirstJoin => _rejoining.First;

    /// <summary>True while this gateway may publish in groups that span sites: it is the active one, and each other
    /// gateway knows it.</summary>
    public bool IsActive
    {
        get
        {
            lock (_lock) return IsJoinedNow && _election!.IsActive;
        }
    }

    /// <summary>True while it is in the group, and knows who is.</summary>
    public bool IsJoined
    {
        get
        {
            lock (_lock) return IsJoinedNow;
        }
    }

    /// <summary>The highest number of a life that was told; 0: none.</summary>
    public ulong HighestNode
    {
        get
        {
            lock (_lock) return _node;
        }
    }

    /// <summary>How often the view has changed: then all progress is to be told.</summary>
    public int Joins => Volatile.Read(ref _joins);

    private bool IsJoinedNow => _election is not null && _joined is { Completion.IsCompleted: false };

    /// <summary>Takes the node: it has one gateway.</summary>
    /// <exception cref="InvalidOperationException">It has one already.</exception>
    public void TakeNode()
    {
        lock (Nodes)
        {
            if (!Nodes.Add(node)) throw new InvalidOperationException($"The node {node.Name} has a gateway already.");
        }
        _hasNode = true;
    }

    /// <summary>Begins.</summary>
    /// <param name="role">Is told what this gateway is to be.</param>
    public void Start(IGatewayRole role) => _running = Task.Run(
        () => _rejoining.RunAsync(stop => StayAsync(role, stop), onRefused: null, onAgain: null, _stop.Token));

    /// <summary>Waits until it is in the group.</summary>
    public async Task BeJoinedAsync(CancellationToken cancellationToken)
    {
        while (!IsJoined) await Task.Delay(LookPause, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>True for a node that is or was beside a gateway: what it sends comes from other sites.</summary>
    public bool IsGateway(MemberId member)
    {
        lock (_lock) return _gateways.Contains(member);
    }

    /// <summary>True for a node that is beside a gateway now, as far as is known.</summary>
    public bool IsPresent(MemberId member)
    {
        lock (_lock) return _present.Contains(member);
    }

    /// <summary>The life that this gateway begins has a number.</summary>
    public void OnLife(ulong number)
    {
        lock (_lock)
        {
            _node = Math.Max(_node, number);
            _election?.OnLife(number);
        }
    }

    /// <summary>Tells progress to the gateways that stand by; nothing while there is none.</summary>
    public async Task TellAsync(GatewayProgress progress, CancellationToken cancellationToken)
    {
        Group? joined;
        lock (_lock) joined = IsJoinedNow && _election!.Others > 0 ? _joined : null;
        if (joined is null) return;
        try
        {
            foreach (byte[] body in PresenceBody.Write(configuration, progress))
                await joined.SendAsync(body.AsMemory(), cancellationToken).ConfigureAwait(false);
        }
        catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
        {
            // The handle has ended: the active gateway of the next view tells all.
            return;
        }
    }

    /// <summary>Says that the site has a gateway, and which.</summary>
    public InvalidOperationException Refusal()
    {
        IEnumerable<string> others = _joined?.View?.Members.Where(member => member.Id != node.Id)
            .Select(static member => member.Name) ?? [];
        return new InvalidOperationException(
            $"The cluster of site '{site}' has a gateway, beside node {string.Join(", ", others)}: a cluster has one "
            + $"at a time. With {nameof(SiteGatewayOptions.Standby)} a further one takes over when it ends.");
    }

    /// <summary>Lets another gateway begin: it has heard all that was told here.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(false);
        if (_joined is { Completion.IsCompleted: false } joined)
        {
            using var limit = new CancellationTokenSource(LeaveTimeout);
            await joined.LeaveAsync(limit.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        if (!_hasNode) return;
        _hasNode = false;
        lock (Nodes) Nodes.Remove(node);
    }

    private async Task StayAsync(IGatewayRole role, CancellationToken cancellationToken)
    {
        Group joined = await node.JoinAsync(Group, new GroupOptions { SelfDelivery = false }, cancellationToken)
            .ConfigureAwait(false);
        lock (_lock) (_joined, _election) = (joined, null);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task repeating = RepeatAsync(joined, ended.Token);
        try
        {
            await foreach (GroupEvent told in joined.ReadEventsAsync(cancellationToken).ConfigureAwait(false))
            {
                GatewayElection election = _election ?? new GatewayElection(node.Id, Incarnations.Next(), _node);
                ElectionVote before = election.Vote;
                Take(election, told, role);
                _rejoining.OnJoined();
                if (election.Vote != before || told is ViewChanged)
                    await SendVoteAsync(joined, cancellationToken).ConfigureAwait(false);
                if (election.IsActive) await role.BeActiveAsync().ConfigureAwait(false);
                else if (election.OtherActive is { } other)
                    await role.StandByAsync(NameOf(joined, other)).ConfigureAwait(false);
            }
        }
        finally
        {
            await ended.CancelAsync().ConfigureAwait(false);
            await repeating.ConfigureAwait(false);
            // At the end of all, the handle leaves when what was told is heard.
            if (!cancellationToken.IsCancellationRequested) await joined.DisposeAsync().ConfigureAwait(false);
        }
        throw new ObjectDisposedException(nameof(QuickSilverNode));
    }

    private void Take(GatewayElection election, GroupEvent told, IGatewayRole role)
    {
        GatewayProgress? progress = null;
        lock (_lock)
        {
            switch (told)
            {
                case ViewChanged { After: var view }:
                    MemberId[] members = [.. view.Members.Select(static member => member.Id)];
                    // Those that are long gone send no more.
                    if (_gateways.Count > MostGateways) _gateways.Clear();
                    _gateways.UnionWith(members);
                    _present = [.. members];
                    election.OnView(members);
                    Interlocked.Increment(ref _joins);
                    _election = election;
                    break;
                case MessageReceived { Message: var message }:
                    if (PresenceBody.TryRead(message.Payload.Span, out ElectionVote vote))
                        election.OnVote(message.Sender, vote);
                    else progress = PresenceBody.ReadProgress(message.Payload.Span, configuration);
                    break;
            }
            _node = Math.Max(_node, election.Vote.Node);
        }
        if (progress is not null) role.OnProgress(progress);
    }

    private async Task RepeatAsync(Group joined, CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                await Task.Delay(RepeatPause, cancellationToken).ConfigureAwait(false);
                await SendVoteAsync(joined, cancellationToken).ConfigureAwait(false);
            }
        }
        catch (Exception end)
            when (end is OperationCanceledException or QuickSilverException or ObjectDisposedException)
        {
            return;
        }
    }

    private async Task SendVoteAsync(Group joined, CancellationToken cancellationToken)
    {
        byte[] body;
        lock (_lock)
        {
            if (_election is not { Others: > 0 } election) return;
            body = PresenceBody.Write(election.Vote);
        }
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(RepeatPause);
        try
        {
            await joined.SendAsync(body.AsMemory(), limit.Token).ConfigureAwait(false);
        }
        catch (Exception late) when (late is OperationCanceledException or SendHeldUpException)
        {
            // A slow member holds sends up: the vote is told again soon.
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    private static string NameOf(Group joined, MemberId id) =>
        joined.View?.Members.FirstOrDefault(member => member.Id == id)?.Name ?? id.ToString();
}
