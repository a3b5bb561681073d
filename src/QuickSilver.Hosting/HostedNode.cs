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
internal sealed class HostedNode : IQuickSilverNode, IHostedLifecycleService, IAsyncDisposable, IDisposable
{
    private static readonly TimeSpan LongestPatience = TimeSpan.FromDays(1);

    private readonly IServiceProvider _services;
    private readonly NodeRegistration _registration;
    private readonly ILogger _log;
    private readonly Dictionary<string, HostedGroup> _groups = new(StringComparer.Ordinal);
    private readonly Dictionary<string, HostedRequests> _requests = new(StringComparer.Ordinal);
    private readonly TaskCompletionSource _answering = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<GroupFollower> _followers = [];
    private readonly List<Task> _following = [];
    private readonly List<Task> _handling = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _abandoning = new();
    private readonly TaskCompletionSource<QuickSilverNode> _started =
        new(TaskCreationOptions.RunContinuationsAsynchronously);
    private HostingMeter? _meter;
    private QuickSilverOptions? _options;
    private Task? _end;

    /// <summary>Creates a node that is not started.</summary>
    public HostedNode(IServiceProvider services, NodeRegistration registration)
    {
        _services = services;
        _registration = registration;
        ILoggerFactory loggers = services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance;
        _log = loggers.CreateLogger("QuickSilver.Hosting");
        foreach (GroupRegistration group in registration.Groups) _groups.Add(group.Name, group.Create());
        foreach (RequestRegistration requests in registration.RequestsWithResponders())
            _requests.TryAdd(requests.Name, requests.Create());
    }

    /// <inheritdoc/>
    public string? Key => _registration.Key;

    /// <inheritdoc/>
    public QuickSilverNode? Current => _started.Task.IsCompletedSuccessfully ? _started.Task.Result : null;

    /// <summary>The groups.</summary>
    public IReadOnlyCollection<HostedGroup> Groups => _groups.Values;

    /// <summary>The request groups.</summary>
    public IReadOnlyCollection<HostedRequests> RequestGroups => _requests.Values;

    /// <summary>What the health check has seen.</summary>
    public HealthMemory Health { get; } = new();

    /// <summary>Why the node has ended by itself; null if it has not.</summary>
    public Exception? Failure { get; private set; }

    /// <inheritdoc/>
    public Task<QuickSilverNode> GetNodeAsync(CancellationToken cancellationToken = default) =>
        _started.Task.WaitAsync(cancellationToken);

    /// <inheritdoc/>
    public IQuickSilverGroup GetGroup(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _groups.TryGetValue(name, out HostedGroup? group)
            ? group
            : throw new ArgumentException(
                $"No group '{name}' is registered at this node: call AddGroup(\"{name}\").", nameof(name));
    }

    /// <inheritdoc/>
    public IQuickSilverGroup<T> GetGroup<T>(string name) =>
        GetGroup(name) as IQuickSilverGroup<T>
            ?? throw new ArgumentException(
                $"The group '{name}' has no values of type {typeof(T).Name}: it was registered otherwise.",
                nameof(name));

    /// <inheritdoc/>
    public IQuickSilverRequestGroup<TRequest, TReply> GetRequestGroup<TRequest, TReply>(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _requests.GetValueOrDefault(name) as IQuickSilverRequestGroup<TRequest, TReply>
            ?? throw new ArgumentException(
                $"No request group '{name}' of these types is registered at this node: call AddRequestGroup.",
                nameof(name));
    }

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
            foreach (HostedGroup group in _groups.Values)
                _followers.Add(await FollowAsync(group, _meter).ConfigureAwait(false));
            node = await QuickSilverNode.StartAsync(_options, cancellationToken).ConfigureAwait(false);
            if (_options.Transport.Kind == TransportKind.Auto) Health.Watch(node);
            await JoinAllAsync(node, cancellationToken).ConfigureAwait(false);
            foreach (HostedRequests requests in _requests.Values)
            {
                await requests.JoinAsync(node, _services, _answering.Task, _log, cancellationToken)
                    .ConfigureAwait(false);
                _following.Add(requests.FollowAsync(_meter, _log, _stopping.Token));
            }
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
        _ = WatchAsync(node);
        Log.Started(_log, node.Name, _groups.Count + _requests.Count);
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StartedAsync(CancellationToken cancellationToken)
    {
        _answering.TrySetResult();
        foreach (GroupFollower follower in _followers)
        {
            follower.BeginReading(_abandoning.Token);
            _handling.Add(Task.Run(() => follower.HandleAsync(_abandoning.Token), CancellationToken.None));
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

    private async Task<GroupFollower> FollowAsync(HostedGroup group, HostingMeter meter)
    {
        GroupRegistration registration = group.Registration;
        group.Connect(meter, _log);
        var calls = new List<HandlerCall>();
        MessageHandler? inline = null;
        foreach (HandlerRegistration handler in _registration.HandlersOf(group.Name))
        {
            HandlerCall call = await HandlerCall.CreateAsync(handler, _services).ConfigureAwait(false);
            if (handler.IsInline) inline += ((IInlineMessageHandler)call.Shared!).Handle;
            else calls.Add(call);
        }
        HandlerErrorPolicy policy = registration.Options.Group.HandlerErrors ?? _options!.Delivery.HandlerErrors;
        return new GroupFollower(
            group,
            registration.Options.HandleOptions(inline),
            new HandlerCalls(group.Name, calls, policy, meter, _log),
            meter,
            _log,
            reason => _ = FailAsync(reason));
    }

    private async Task EndStartAsync(Exception reason, QuickSilverNode? node)
    {
        _started.TrySetException(reason);
        _ = _started.Task.Exception;
        foreach (HostedGroup group in _groups.Values) group.End(reason);
        foreach (HostedRequests requests in _requests.Values) await requests.EndAsync(reason).ConfigureAwait(false);
        if (node is not null) await node.DisposeAsync().ConfigureAwait(false);
    }

    // Groups with the same options are joined by one change of the membership.
    private async Task JoinAllAsync(QuickSilverNode node, CancellationToken cancellationToken)
    {
        var sets = new List<List<GroupFollower>>();
        foreach (GroupFollower follower in _followers)
        {
            List<GroupFollower>? same = sets.Find(set => HostedGroupOptions.AreEqual(set[0].Options, follower.Options));
            if (same is null) sets.Add([follower]);
            else same.Add(follower);
        }
        IEnumerable<Task<IReadOnlyList<Group>>> joins = sets.Select(set => JoinAsync(node, set, cancellationToken));
        IReadOnlyList<Group>[] handles = await Task.WhenAll(joins).ConfigureAwait(false);
        for (int set = 0; set < sets.Count; set++)
        {
            for (int index = 0; index < sets[set].Count; index++)
                _following.Add(sets[set][index].FollowAsync(node, handles[set][index], _stopping.Token));
        }
    }

    // A node that is evicted meanwhile returns, and joins again as it does later.
    private async Task<IReadOnlyList<Group>> JoinAsync(
        QuickSilverNode node, List<GroupFollower> set, CancellationToken cancellationToken)
    {
        string[] names = [.. set.Select(static follower => follower.Group.Name)];
        while (true)
        {
            try
            {
                return await node.JoinManyAsync(names, set[0].Options, cancellationToken).ConfigureAwait(false);
            }
            catch (NodeEvictedException reason) when (!node.Completion.IsCompleted
                && set.TrueForAll(static one => one.Group.Registration.Options.RejoinAfterEviction))
            {
                TimeSpan pause = set[0].Group.Registration.Options.RejoinPause;
                Log.JoinRepeated(_log, string.Join(", ", names), pause, reason.Message);
                await Task.Delay(pause, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private async Task WatchAsync(QuickSilverNode node)
    {
        await node.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (node.Completion.Exception?.InnerException is { } reason) await FailAsync(reason).ConfigureAwait(false);
    }

    // A node that has ended by itself ends the host: nothing would start it again.
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
        lock (_followers) return _end ??= EndCoreAsync(cancellationToken, nodeCancellation);
    }

    private async Task EndCoreAsync(CancellationToken cancellationToken, CancellationToken nodeCancellation)
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        _started.TrySetException(new ObjectDisposedException(nameof(IQuickSilverNode), "The host has ended."));
        _ = _started.Task.Exception;
        var ended = new ObjectDisposedException(nameof(IQuickSilverNode), "The host has ended.");
        Task answered = Task.WhenAll(_requests.Values.Select(requests => requests.EndAsync(ended)));
        if (Current is { } node)
        {
            await LimitAsync(answered, "the request groups have ended", node, cancellationToken).ConfigureAwait(false);
            // A handler that is still busy with an earlier handle comes to this one after the group was left.
            if (_handling.Count > 0) _followers.ForEach(follower => follower.BeginReading(_abandoning.Token));
            await LeaveAsync(node, cancellationToken).ConfigureAwait(false);
            await LimitAsync(
                Task.WhenAll(_handling), "the handlers have handled what is stored", node, cancellationToken)
                .ConfigureAwait(false);
            await _abandoning.CancelAsync().ConfigureAwait(false);
            await LimitAsync(
                node.DisposeAsync().AsTask(), "the node has stopped", node, nodeCancellation).ConfigureAwait(false);
            await LimitAsync(Task.WhenAll(_following), "the groups have ended", node, cancellationToken)
                .ConfigureAwait(false);
        }
        _meter?.Dispose();
        _stopping.Dispose();
    }

    private async Task LeaveAsync(QuickSilverNode node, CancellationToken cancellationToken)
    {
        Group[] handles = [.. _groups.Values.Select(static group => group.Current).OfType<Group>()];
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
