using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace QuickSilver.Hosting;

/// <summary>
/// A node with the life of its host. It starts and joins its groups before any service of the host starts, calls
/// handlers once all have started, and stops after all have stopped: it drains what it has sent, leaves, lets the
/// handlers finish what is stored, and says goodbye.
/// </summary>
internal sealed partial class HostedNode : IQuickSilverNode, IHostedLifecycleService, IAsyncDisposable, IDisposable
{
    private static readonly TimeSpan LongestPatience = TimeSpan.FromDays(1);

    private readonly IServiceProvider _services;
    private readonly NodeRegistration _registration;
    private readonly ILogger _log;
    private readonly TaskCompletionSource _answering = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<GroupHandling> _handlings = [];
    private readonly List<Task> _following = [];
    private readonly List<Task> _handling = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationToken _stop;
    private readonly CancellationTokenSource _abandoning = new();
    private readonly TaskCompletionSource<QuickSilverNode> _started =
        new(TaskCreationOptions.RunContinuationsAsynchronously);
    private HostingMeter? _meter;
    private QuickSilverOptions? _options;
    private Task? _end;
    private IDisposable? _configuration;

    /// <summary>Creates a node that is not started.</summary>
    public HostedNode(IServiceProvider services, NodeRegistration registration)
    {
        _services = services;
        _registration = registration;
        ILoggerFactory loggers = services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance;
        _log = loggers.CreateLogger("QuickSilver.Hosting");
        // Still there when its source is disposed of.
        _stop = _stopping.Token;
        Handles = new HostedHandles(registration);
        Gateway = registration.Gateway is { } gateway ? new HostedGateway(gateway) : null;
    }

    /// <inheritdoc/>
    public string? Key => _registration.Key;

    /// <inheritdoc/>
    public QuickSilverNode? Current => _started.Task.IsCompletedSuccessfully ? _started.Task.Result : null;

    /// <summary>The groups, publishers and inboxes.</summary>
    public HostedHandles Handles { get; }

    /// <summary>The gateway beside the node; null for none.</summary>
    public HostedGateway? Gateway { get; }

    /// <summary>What the health check has seen.</summary>
    public HealthMemory Health { get; } = new();

    /// <summary>Why the node has ended by itself; null if it has not.</summary>
    public Exception? Failure { get; private set; }

    /// <inheritdoc/>
    public Task<QuickSilverNode> GetNodeAsync(CancellationToken cancellationToken = default) =>
        _started.Task.WaitAsync(cancellationToken);

    /// <inheritdoc/>
    public IQuickSilverGroup GetGroup(string name) => Handles.Group(name);

    /// <inheritdoc/>
    public IQuickSilverGroup<T> GetGroup<T>(string name) => Handles.Group<T>(name);

    /// <inheritdoc/>
    public IQuickSilverPublisher GetPublisher(string name) => Handles.Publisher(name);

    /// <inheritdoc/>
    public IQuickSilverPublisher<T> GetPublisher<T>(string name) => Handles.Publisher<T>(name);

    /// <inheritdoc/>
    public IQuickSilverInbox GetInbox(string name) => Handles.Inbox(name);

    /// <inheritdoc/>
    public IQuickSilverRequestGroup<TRequest, TReply> GetRequestGroup<TRequest, TReply>(string name) =>
        Handles.Requesting<TRequest, TReply>(name);

    /// <inheritdoc/>
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        QuickSilverNode? node = null;
        try
        {
            _options = _services.GetRequiredService<IOptionsMonitor<QuickSilverOptions>>()
                .Get(_registration.OptionsName);
            _meter = new HostingMeter(
                _services.GetService<IMeterFactory>(), _options.NodeName ?? Key ?? _options.ClusterName);
            foreach (HostedGroup group in Handles.Groups)
                _handlings.Add(await PrepareAsync(group, _meter).ConfigureAwait(false));
            foreach (HostedPublisher publisher in Handles.Publishers) publisher.Connect(_meter, _log);
            node = await QuickSilverNode.StartAsync(_options, cancellationToken).ConfigureAwait(false);
            if (_options.Transport.Kind == TransportKind.Auto) Health.Watch(node);
            await JoinAllAsync(node, cancellationToken).ConfigureAwait(false);
            await OpenAllAsync(node, cancellationToken).ConfigureAwait(false);
            foreach (HostedRequests requests in Handles.Requests)
            {
                await requests.JoinAsync(node, _services, _answering.Task, _log, cancellationToken)
                    .ConfigureAwait(false);
                _following.Add(requests.FollowAsync(_meter, _log, _stop));
            }
            if (Gateway is not null)
                await Gateway.StartAsync(node, _services, cancellationToken).ConfigureAwait(false);
            if (!_started.TrySetResult(node))
                throw new ObjectDisposedException(nameof(IQuickSilverNode), "The host ended while the node started.");
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            Log.StartCancelled(_log, _options?.ClusterName ?? "");
            await EndStartAsync(
                new ObjectDisposedException(nameof(IQuickSilverNode), "The host ended while the node started."), node)
                .ConfigureAwait(false);
            throw;
        }
        catch (Exception fault)
        {
            Log.StartFailed(_log, _options?.ClusterName ?? "", fault);
            await EndStartAsync(fault, node).ConfigureAwait(false);
            throw;
        }
        _ = WatchAsync(node.Completion);
        if (Gateway?.Current is { } gateway) _ = WatchAsync(gateway.Completion);
        FollowServers(node);
        Log.Started(_log, node.Name, Handles.Groups.Count + Handles.Requests.Count);
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StartedAsync(CancellationToken cancellationToken)
    {
        _answering.TrySetResult();
        foreach (GroupHandling handling in _handlings)
        {
            handling.BeginReading(_abandoning.Token);
            _handling.Add(Task.Run(() => handling.HandleAsync(_abandoning.Token), CancellationToken.None));
        }
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        await EndAsync(cancellationToken, cancellationToken).ConfigureAwait(false);
        // The host that was stopped for this ends with it.
        if (Failure is { } failure) throw failure;
    }

    /// <summary>Ends the node of a host that was not stopped. Handlers may finish what is stored for
    /// <see cref="ShutdownOptions.Timeout"/>, then their token is cancelled; the end of the node takes as long again at
    /// most.</summary>
    public async ValueTask DisposeAsync()
    {
        TimeSpan patience = _options?.Shutdown.Timeout ?? TimeSpan.Zero;
        using var limit = new CancellationTokenSource(
            patience < LongestPatience ? patience : LongestPatience);
        await EndAsync(limit.Token, CancellationToken.None).ConfigureAwait(false);
    }

    /// <summary>As <see cref="DisposeAsync"/>, for containers that are disposed of without waiting.</summary>
    public void Dispose() => Task.Run(async () => await DisposeAsync().ConfigureAwait(false)).GetAwaiter().GetResult();

    private async Task<GroupHandling> PrepareAsync(HostedGroup group, HostingMeter meter)
    {
        GroupRegistration registration = group.Registration;
        group.Connect(meter, _log);
        Handles.Connect(group);
        var calls = new List<HandlerCall>();
        foreach (HandlerRegistration handler in _registration.HandlersOf(group.Name))
        {
            HandlerCall call = await HandlerCall.CreateAsync(handler, _services).ConfigureAwait(false);
            if (handler.IsInline) group.Inline += ((IInlineMessageHandler)call.Shared!).Handle;
            else calls.Add(call);
        }
        HandlerErrorPolicy policy = registration.Options.Group.HandlerErrors ?? _options!.Delivery.HandlerErrors;
        return new GroupHandling(
            group, new HandlerCalls(group.Name, calls, policy, meter, _log), _log, reason => _ = FailAsync(reason));
    }

    private async Task EndStartAsync(Exception reason, QuickSilverNode? node)
    {
        _started.TrySetException(reason);
        _ = _started.Task.Exception;
        Handles.Close();
        await Handles.EndAsync(reason).ConfigureAwait(false);
        if (Gateway is not null) await Gateway.EndAsync(reason).ConfigureAwait(false);
        if (node is not null) await node.DisposeAsync().ConfigureAwait(false);
    }

    // Groups with the same options are joined by one change of the membership.
    private Task JoinAllAsync(QuickSilverNode node, CancellationToken cancellationToken) => Task.WhenAll(
        Sets(Handles.Groups, static (one, two) => one.Inbox == two.Inbox && HostedGroupOptions.AreEqual(
                one.Registration.Options.HandleOptions(one.Inline), two.Registration.Options.HandleOptions(two.Inline)))
            .Select(set => BeginAllAsync(
                node, set,
                (names, token) => node.JoinManyAsync(names, set[0].NextOptions(node), token),
                cancellationToken)));

    // So are publishers.
    private Task OpenAllAsync(QuickSilverNode node, CancellationToken cancellationToken) => Task.WhenAll(
        Sets(Handles.Publishers, static (one, two) => HostedPublisherOptions.AreEqual(
                one.Registration.Options.Publisher, two.Registration.Options.Publisher))
            .Select(set => BeginAllAsync(
                node, set,
                (names, token) => node.OpenPublishersAsync(names, set[0].Registration.Options.Publisher, token),
                cancellationToken)));

    private static List<List<TSender>> Sets<TSender>(
        IReadOnlyCollection<TSender> senders, Func<TSender, TSender, bool> areAlike)
    {
        var sets = new List<List<TSender>>();
        foreach (TSender sender in senders)
        {
            if (sets.Find(set => areAlike(set[0], sender)) is { } same) same.Add(sender);
            else sets.Add([sender]);
        }
        return sets;
    }

    private async Task BeginAllAsync<THandle>(
        QuickSilverNode node,
        IReadOnlyList<HostedSender<THandle>> set,
        Func<IEnumerable<string>, CancellationToken, Task<IReadOnlyList<THandle>>> open,
        CancellationToken cancellationToken)
        where THandle : MessageSender
    {
        string[] names = [.. set.Select(static one => one.Name)];
        IReadOnlyList<THandle> handles = await HostedSender.OpenFirstAsync(
            node, set, token => open(names, token), cancellationToken).ConfigureAwait(false);
        for (int index = 0; index < set.Count; index++) set[index].Begin(node, handles[index], _stop);
    }

    private void FollowServers(QuickSilverNode node)
    {
        var follower = new ServerListFollower(node, _options!.Membership.Servers, _log);
        _configuration = _services.GetServices<IValidateOptions<QuickSilverOptions>>()
            .OfType<NodeOptionsSetup>().FirstOrDefault()?.FollowServers(_registration, follower.Look);
    }

    private async Task WatchAsync(Task completion)
    {
        await completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (completion.Exception?.InnerException is { } reason) await FailAsync(reason).ConfigureAwait(false);
    }

    // A node or a gateway that has ended by itself ends the host: nothing would start it again.
    private async Task FailAsync(Exception reason)
    {
        if (_stopping.IsCancellationRequested || Failure is not null) return;
        Failure = reason;
        Log.NodeEnded(_log, Current?.Name ?? "", reason);
        if (Current is { } node) await node.DisposeAsync().ConfigureAwait(false);
        _services.GetService<IHostApplicationLifetime>()?.StopApplication();
    }

    // The end of the node is bounded by its own options. One token gives up the wait for the application's code, and
    // the other also that for the node.
    private Task EndAsync(CancellationToken cancellationToken, CancellationToken nodeCancellation)
    {
        lock (_handlings) return _end ??= EndCoreAsync(cancellationToken, nodeCancellation);
    }

    private async Task EndCoreAsync(CancellationToken cancellationToken, CancellationToken nodeCancellation)
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        _configuration?.Dispose();
        Handles.Close();
        _started.TrySetException(new ObjectDisposedException(nameof(IQuickSilverNode), "The host has ended."));
        _ = _started.Task.Exception;
        var ended = new ObjectDisposedException(nameof(IQuickSilverNode), "The host has ended.");
        Task answered = Task.WhenAll(Handles.Requests.Select(requests => requests.EndAsync(ended)));
        Task joined = Gateway?.EndAsync(ended) ?? Task.CompletedTask;
        if (Current is { } node)
        {
            await LimitAsync(answered, "the request groups have ended", node, cancellationToken).ConfigureAwait(false);
            await LimitAsync(joined, "the gateway has ended", node, cancellationToken).ConfigureAwait(false);
            // A handler that is still busy with an earlier handle comes to this one after the group was left.
            if (_handling.Count > 0) _handlings.ForEach(handling => handling.BeginReading(_abandoning.Token));
            await LeaveAsync(node, cancellationToken).ConfigureAwait(false);
            await LimitAsync(
                Task.WhenAll(_handling), "the handlers have handled what is stored", node, cancellationToken)
                .ConfigureAwait(false);
            await _abandoning.CancelAsync().ConfigureAwait(false);
            await LimitAsync(
                node.DisposeAsync().AsTask(), "the node has stopped", node, nodeCancellation).ConfigureAwait(false);
            Handles.EndInboxes(ended);
            IEnumerable<Task> following = Handles.Senders.Select(static sender => sender.Following).OfType<Task>();
            await LimitAsync(
                Task.WhenAll(_following.Concat(following)), "the groups have ended", node, cancellationToken)
                .ConfigureAwait(false);
        }
        _meter?.Dispose();
        _stopping.Dispose();
    }

    private async Task LeaveAsync(QuickSilverNode node, CancellationToken cancellationToken)
    {
        MessageSender[] handles = [.. Handles.Senders.Select(static one => one.Sender).OfType<MessageSender>()];
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(_options!.Shutdown.DrainTimeout);
        try
        {
            await node.LeaveManyAsync(handles, limit.Token).ConfigureAwait(false);
        }
        catch (Exception fault) when (fault is OperationCanceledException or QuickSilverException)
        {
            Log.LeaveIncomplete(_log, node.Name, fault.Message);
        }
    }

    private async Task LimitAsync(Task task, string what, QuickSilverNode node, CancellationToken cancellationToken)
    {
        await Task.WhenAny(task, Task.Delay(Timeout.Infinite, cancellationToken)).ConfigureAwait(false);
        if (!task.IsCompleted) Log.ShutdownTimedOut(_log, node.Name, what);
        else await task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
