using System.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>Keeps one request group of a hosted node joined until the host stops.</summary>
internal abstract class HostedRequests
{
    /// <summary>Name of the group.</summary>
    public abstract string Name { get; }

    /// <summary>Whether there is a handle.</summary>
    public abstract bool IsJoined { get; }

    /// <summary>Why the group has ended for good; null if it has not.</summary>
    public QuickSilverException? EndReason { get; protected set; }

    /// <summary>Joins the group for the first time.</summary>
    /// <param name="node">The node.</param>
    /// <param name="services">Makes the responder.</param>
    /// <param name="answering">Ends when requests may be answered.</param>
    /// <param name="log">Told of an eviction meanwhile.</param>
    /// <param name="stop">Cancels the join.</param>
    public abstract Task JoinAsync(
        QuickSilverNode node, IServiceProvider services, Task answering, ILogger log, CancellationToken stop);

    /// <summary>Joins it again after evictions, and after its reader was too slow, to its end.</summary>
    /// <param name="meter">Counts what happens.</param>
    /// <param name="log">Told of it.</param>
    /// <param name="stop">The host stops.</param>
    public abstract Task FollowAsync(HostingMeter meter, ILogger log, CancellationToken stop);

    /// <summary>Ends it: responders are cancelled, requests under way throw.</summary>
    /// <param name="reason">What later requests throw.</param>
    public abstract Task EndAsync(Exception reason);
}

/// <inheritdoc cref="HostedRequests"/>
/// <param name="registration">What the application has registered.</param>
internal sealed class HostedRequests<TRequest, TReply>(RequestRegistration<TRequest, TReply> registration)
    : HostedRequests, IQuickSilverRequestGroup<TRequest, TReply>
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private QuickSilverNode _node = null!;
    private Func<TypedMessage<TRequest>, CancellationToken, ValueTask<TReply>>? _responder;
    private RequestGroup<TRequest, TReply>? _current;
    private TaskCompletionSource<RequestGroup<TRequest, TReply>> _next = New();

    /// <inheritdoc cref="IQuickSilverRequestGroup{TRequest, TReply}.Name"/>
    public override string Name => registration.Name;

    /// <inheritdoc/>
    public override bool IsJoined => Current is not null;

    /// <inheritdoc/>
    public RequestGroup<TRequest, TReply>? Current => Volatile.Read(ref _current);

    /// <inheritdoc/>
    public async Task<ReplySet<TReply>> RequestAsync(
        TRequest request, int? replies, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        Task<RequestGroup<TRequest, TReply>> next;
        RequestGroup<TRequest, TReply>? group;
        lock (_lock) (group, next) = (_current, _next.Task);
        group ??= await next.WaitAsync(cancellationToken).ConfigureAwait(false);
        return await group.RequestAsync(request, replies, timeout, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override async Task JoinAsync(
        QuickSilverNode node, IServiceProvider services, Task answering, ILogger log, CancellationToken stop)
    {
        _node = node;
        if (registration.Responders is [Type type, ..])
        {
            IResponder<TRequest, TReply> responder = Resolve(services, type);
            _responder = async (request, ending) =>
            {
                await answering.WaitAsync(ending).ConfigureAwait(false);
                return await responder.RespondAsync(request, ending).ConfigureAwait(false);
            };
        }
        while (true)
        {
            try
            {
                Pass(await JoinAsync(stop).ConfigureAwait(false));
                return;
            }
            catch (NodeEvictedException reason) when (!node.Completion.IsCompleted)
            {
                Log.JoinRepeated(log, Name, Pause, reason.Message);
                await Task.Delay(Pause, stop).ConfigureAwait(false);
            }
        }
    }

    /// <inheritdoc/>
    public override async Task FollowAsync(HostingMeter meter, ILogger log, CancellationToken stop)
    {
        while (Current is { } group)
        {
            await group.Raw.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (group.Raw.Completion.Exception?.InnerException is not QuickSilverException reason
                || stop.IsCancellationRequested)
            {
                return;
            }
            if (_node.Completion.IsCompleted || reason is not (NodeEvictedException or SlowConsumerException))
            {
                EndReason = reason;
                Log.GroupEnded(log, Name, reason.Message);
                return;
            }
            long ended = Stopwatch.GetTimestamp();
            lock (_lock)
            {
                _next = New();
                Volatile.Write(ref _current, null);
            }
            Log.Rejoining(log, Name, reason.Message);
            await group.DisposeAsync().ConfigureAwait(false);
            if (await JoinAgainAsync(log, stop).ConfigureAwait(false) is not { } joined) continue;
            meter.OnRejoin(reason);
            Pass(joined);
            Log.Rejoined(log, Name, Stopwatch.GetElapsedTime(ended), joined.Raw.View.MemberCount);
        }
    }

    /// <inheritdoc/>
    public override async Task EndAsync(Exception reason)
    {
        RequestGroup<TRequest, TReply>? group;
        lock (_lock)
        {
            group = Interlocked.Exchange(ref _current, null);
            if (_next.Task.IsCompleted) _next = New();
            _next.TrySetException(reason);
            _ = _next.Task.Exception;
        }
        if (group is not null) await group.DisposeAsync().ConfigureAwait(false);
    }

    private static TaskCompletionSource<RequestGroup<TRequest, TReply>> New() =>
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private Task<RequestGroup<TRequest, TReply>> JoinAsync(CancellationToken stop) => _node.JoinRequestsAsync(
        Name, registration.Requests, registration.Replies, _responder, registration.Options, stop);

    private IResponder<TRequest, TReply> Resolve(IServiceProvider services, Type type)
    {
        try
        {
            return (IResponder<TRequest, TReply>)services.GetRequiredService(type);
        }
        catch (Exception fault)
        {
            throw new InvalidOperationException(
                $"The responder {type.Name} of request group '{Name}' cannot be made: {fault.Message}", fault);
        }
    }

    // Null if the host stops or the node has ended.
    private async Task<RequestGroup<TRequest, TReply>?> JoinAgainAsync(ILogger log, CancellationToken stop)
    {
        while (!_node.Completion.IsCompleted && !stop.IsCancellationRequested)
        {
            try
            {
                return await JoinAsync(stop).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested)
            {
                return null;
            }
            catch (Exception fault) when (fault is QuickSilverException or OperationCanceledException)
            {
                Log.RejoinFailed(log, Name, Pause, fault.Message);
                await Task.Delay(Pause, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            catch (ObjectDisposedException)
            {
                return null;
            }
        }
        return null;
    }

    private void Pass(RequestGroup<TRequest, TReply> group)
    {
        lock (_lock)
        {
            Volatile.Write(ref _current, group);
            _next.TrySetResult(group);
        }
    }
}
