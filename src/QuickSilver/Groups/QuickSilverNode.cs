using System.Diagnostics;
using System.Net;
using QuickSilver.Inboxes.Shared;
using QuickSilver.Monitoring;
using QuickSilver.Protocol.Core;
using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>
/// One member of a cluster. An application creates one node and keeps it; the node owns a thread, sockets and the
/// groups joined through it. All members may be called from any thread.
/// <para>
/// A node ends with <see cref="DisposeAsync"/>. It ends by itself if its core thread fails, or as
/// <see cref="EvictionPolicy.StopNode"/> and <see cref="HandlerErrorPolicy.StopNode"/> require.
/// <see cref="Completion"/> then faults with the reason, and a dispose has no effect.
/// </para>
/// </summary>
public sealed partial class QuickSilverNode : IAsyncDisposable
{
    private readonly NodeParts _parts;
    private readonly HandleSettings _defaults;

    private QuickSilverNode(NodeOpening opening)
    {
        _parts = NodeComposer.Compose(opening, Raise);
        _defaults = HandleSettings.From(new GroupOptions(), opening.Options.Delivery);
        _monitoring = new NodeMonitoring(Core, JoinReservedAsync);
        Core.Monitoring = _monitoring;
    }

    private event EventHandler<NodeEvent>? Happened;

    /// <summary>Reports events of the node. Raised on a pool thread, one at a time, in order; exceptions of handlers
    /// are logged. The first handler also gets the last 64 earlier events, those of the start included; later handlers
    /// get new events only.</summary>
    public event EventHandler<NodeEvent>? Events
    {
        add
        {
            Happened += value;
            if (value is not null) _parts.Services.Events.Begin();
        }
        remove => Happened -= value;
    }

    /// <summary>Readable name of the node.</summary>
    public string Name => _parts.Services.Name;

    /// <summary>Address and incarnation of the node. A return after an eviction is a new incarnation.</summary>
    public MemberId Id => _parts.Lifecycle.Id;

    /// <summary>Current state of the node.</summary>
    public NodeState State => _parts.Lifecycle.State;

    /// <summary>Completes after <see cref="DisposeAsync"/>. Faults if the node stops by itself.</summary>
    public Task Completion => _parts.Lifecycle.Completion;

    internal NodeCore Core => _parts.Core;

    /// <summary>The number of nodes that this process serves, as of the last turn; null when another process
    /// serves.</summary>
    internal int? NodesServed => _parts.Host?.Nodes;

    /// <summary>Where this process serves the membership; null when another process does.</summary>
    internal IPEndPoint? ServingAt => _parts.Host?.EndPoint;

    /// <summary>
    /// Returns the longest turn since the call before, of the core thread and of the membership host in this process;
    /// the latter is zero without one.
    /// </summary>
    internal async Task<(TimeSpan Core, TimeSpan Host)> TakeLongestTurnsAsync()
    {
        var core = new TaskCompletionSource<TimeSpan>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!_parts.Services.TryPost(_ => core.SetResult(Core.Statistics!.Loop.TakeLongestLately()))) return default;
        TimeSpan longest = await core.Task.ConfigureAwait(false);
        return _parts.Host is { } host
            ? (longest, await host.TakeLongestTurnAsync().ConfigureAwait(false))
            : (longest, TimeSpan.Zero);
    }

    /// <summary>The reason why the node stopped by itself; null if it has not.</summary>
    internal QuickSilverException? StopReason => _parts.Lifecycle.StopReason;

    /// <summary>Starts a node and waits until the membership server has admitted it.</summary>
    /// <param name="options">Settings of the node; copied and validated. Null: the defaults, which form a cluster on
    /// this machine.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <exception cref="ArgumentException">Options are invalid; the message lists every fault with the path of its
    /// option.</exception>
    /// <exception cref="MembershipUnavailableException">No membership server was found within
    /// <see cref="MembershipOptions.JoinTimeout"/>, it refused the node, or this node cannot host it as
    /// <see cref="MembershipMode.Host"/> requires.</exception>
    /// <exception cref="OperationCanceledException">The start was cancelled; the message describes the search for a
    /// membership server so far.</exception>
    /// <exception cref="QuickSilverException">The requested interface, port or multicast is unavailable. On a network,
    /// the options choose no security (<see cref="ErrorCode.SecurityNotChosen"/>). The server speaks another version
    /// (<see cref="ErrorCode.IncompatibleVersion"/>), or it and this node broke the protocol
    /// (<see cref="ErrorCode.ProtocolViolation"/>).</exception>
    public static Task<QuickSilverNode> StartAsync(
        QuickSilverOptions? options = null, CancellationToken cancellationToken = default)
    {
        QuickSilverOptions copy = (options ?? new QuickSilverOptions()).Copy();
        copy.Check().ThrowIfAny(nameof(options));
        cancellationToken.ThrowIfCancellationRequested();
        return Task.Run(() => StartCoreAsync(copy, cancellationToken), CancellationToken.None);
    }

    /// <summary>Joins a group. On return, the node has installed the view, and every possible sender has switched to it
    /// or has been removed. The node receives every message that any member sends afterwards.</summary>
    /// <param name="name">Name of the group: 1-255 bytes of UTF-8 without control characters, compared ordinally. Names
    /// that begin with '$' are reserved.</param>
    /// <param name="options">Settings of the handle; copied and validated. Null: the defaults.</param>
    /// <param name="cancellationToken">Cancels the wait; the join is undone in the background.</param>
    /// <returns>A handle on the group. Dispose of it to leave.</returns>
    /// <exception cref="ArgumentException">The name or an option is invalid.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message describes the obstacle of the
    /// join.</exception>
    /// <exception cref="ObjectDisposedException">The node has been disposed of.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.GroupModeMismatch"/>,
    /// <see cref="ErrorCode.JoinTimedOut"/>, <see cref="ErrorCode.MembershipRefused"/>,
    /// <see cref="ErrorCode.TooManyHybridGroups"/>.</exception>
    public async Task<Group> JoinAsync(
        string name, GroupOptions? options = null, CancellationToken cancellationToken = default)
    {
        Names.ThrowIfNotAGroupName(name, nameof(name));
        MessageSender[] joined = await JoinAllAsync([name], ToSettings(options), cancellationToken)
            .ConfigureAwait(false);
        return (Group)joined[0];
    }

    /// <summary>Joins several groups, all or none, in one membership change. Otherwise as <see cref="JoinAsync"/>, with
    /// its exceptions.</summary>
    /// <param name="names">Names of the groups, as in <see cref="JoinAsync"/>, without duplicates.</param>
    /// <param name="options">Settings of all handles; copied and validated.</param>
    /// <param name="cancellationToken">Cancels the wait; the joins are undone in the background.</param>
    /// <returns>The handles, in the order of the names.</returns>
    /// <exception cref="ArgumentException">A name is invalid or a duplicate, or an option is invalid.</exception>
    public async Task<IReadOnlyList<Group>> JoinManyAsync(
        IEnumerable<string> names, GroupOptions? options = null, CancellationToken cancellationToken = default)
    {
        List<string> list = CheckNames(names);
        HandleSettings settings = ToSettings(options);
        if (list.Count == 0) return [];
        MessageSender[] joined = await JoinAllAsync(list, settings, cancellationToken).ConfigureAwait(false);
        return Array.AsReadOnly(Array.ConvertAll(joined, static one => (Group)one));
    }

    /// <summary>Creates an inbox that any number of groups share; they name it in <see cref="GroupOptions.Inbox"/>.
    /// Does not wait. Allocates nothing but the inbox until the first message.</summary>
    /// <param name="options">Limits of the inbox; copied and validated. Null: the defaults.</param>
    /// <returns>The inbox. Dispose of it to leave its groups.</returns>
    /// <exception cref="ArgumentException">An option is invalid.</exception>
    /// <exception cref="ObjectDisposedException">The node has been disposed of.</exception>
    /// <exception cref="QuickSilverException">The node has stopped by itself; this is the reason.</exception>
    public Inbox CreateInbox(InboxOptions? options = null)
    {
        options?.Validate(nameof(options));
        DeliveryOptions defaults = _parts.Services.Options.Delivery;
        var core = new SharedInbox(
            _parts.Services.Inboxes,
            options?.MaxMessages ?? defaults.InboxMaxMessages,
            options?.MaxBytes ?? defaults.InboxMaxBytes);
        _parts.Services.Inboxes.Add(core);
        // The end of the node sees the inbox, or this code sees the end.
        if (State is NodeState.Stopping or NodeState.Stopped)
        {
            _parts.Services.Inboxes.Remove(core);
            throw Disposed();
        }
        return new Inbox(this, core);
    }

    /// <summary>Leaves several groups, or closes several publishers, in one membership change each, after a wait like
    /// that of <see cref="Group.LeaveAsync"/>. Handles that have already ended are ignored.</summary>
    /// <param name="groups">Handles of this node, of either kind.</param>
    /// <param name="cancellationToken">Cancels the wait only: the groups are left in any case.</param>
    /// <exception cref="ArgumentException">A handle is null or belongs to another node; no group is left.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the members it waited
    /// for.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile. Whether other members
    /// hold the messages is unknown.</exception>
    /// <exception cref="QuickSilverException">The node has stopped by itself meanwhile; this is the reason.</exception>
    public async Task LeaveManyAsync(IEnumerable<MessageSender> groups, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(groups);
        var list = new List<MessageSender>(groups);
        foreach (MessageSender group in list)
        {
            if (group is null) throw new ArgumentException("One of the handles is null.", nameof(groups));
            if (!ReferenceEquals(group.Node, this))
                throw new ArgumentException($"The handle on '{group.Name}' belongs to another node.", nameof(groups));
        }
        list.RemoveAll(static group => group.Completion.IsCompleted);
        if (list.Count == 0) return;
        try
        {
            LeaveOperation leave = LeaveOperation.Begin(Core, list.ConvertAll(static group => group.Handle));
            await Task.WhenAny(leave.Task, Completion).WaitAsync(cancellationToken).ConfigureAwait(false);
            // Also waits for handles that another call was already leaving.
            foreach (MessageSender group in list)
                await group.Completion.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            string awaited = await _parts.Services.AskAsync(Core.Directory.DescribeAwaited).ConfigureAwait(false);
            throw new OperationCanceledException(
                $"{nameof(LeaveManyAsync)} was cancelled. It waited for {awaited}. "
                + "The groups are left in the background.",
                cancellationToken);
        }
    }

    /// <summary>Waits like <see cref="MessageSender.FlushAsync"/> for all groups at once.</summary>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the members it waited
    /// for.</exception>
    /// <exception cref="SendHeldUpException">As of <see cref="MessageSender.FlushAsync"/>.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile.</exception>
    /// <exception cref="ObjectDisposedException">The node was disposed of meanwhile.</exception>
    public async Task FlushAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var flush = new CountdownFlush();
        bool isPosted = _parts.Services.TryPost(now =>
        {
            Core.Directory.Flush(flush, now);
            Core.Unserved.Follow("", flush);
        });
        if (!isPosted) throw Disposed();
        try
        {
            await Task.WhenAny(flush.Task, Completion).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            string awaited = await _parts.Services.AskAsync(Core.Directory.DescribeAwaited).ConfigureAwait(false);
            throw new OperationCanceledException(
                $"{nameof(FlushAsync)} was cancelled. It waited for {awaited}.", cancellationToken);
        }
        if (!flush.Task.IsCompleted) throw Disposed();
        await flush.Task.ConfigureAwait(false);
    }

    /// <summary>
    /// Declares members with a given name permanently gone: those that the membership server has awaited since its
    /// takeover, and known ones of which it has lost sight. They count as removed from then on; a member that is alive
    /// after all is evicted when it returns. For operators, when the server waits for a majority
    /// (<see cref="NodeState.WaitingForMajority"/>) that will not return. Valid only on the node that serves the
    /// membership.
    /// </summary>
    /// <param name="name">Name of the members, as in the log and in <see cref="NodeStateChanged.Reason"/>, without the
    /// address.</param>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    /// <returns>Number of members with that name; names need not be unique.</returns>
    /// <exception cref="ArgumentException">The name is null or empty.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The node has been disposed of.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.NotServing"/>: another process serves the
    /// membership. <see cref="ErrorCode.NoSuchMember"/>: no member with that name is missing, or all of them are
    /// connected.</exception>
    public async Task<int> ForgetMemberAsync(string name, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        cancellationToken.ThrowIfCancellationRequested();
        if (State is NodeState.Stopping or NodeState.Stopped) throw Disposed();
        int forgotten = _parts.Host is { } host
            ? await host.ForgetMemberAsync(name)
                .WaitAsync(cancellationToken).ConfigureAwait(false)
            : -1;
        if (forgotten < 0)
        {
            throw new QuickSilverException(
                ErrorCode.NotServing,
                $"The node '{Name}' does not serve the membership: call ForgetMemberAsync on the node that does "
                + "(log record 1101 says which).");
        }
        if (forgotten > 0) return forgotten;
        throw new QuickSilverException(
            ErrorCode.NoSuchMember,
            $"No member named '{name}' is missing: take the name from log record 1120 or 1121, without the address. "
            + "One that is connected is not forgotten.");
    }

    /// <summary>Drains the messages sent, leaves the cluster and ends every handle within
    /// <see cref="ShutdownOptions.Timeout"/>, even if a handler hangs. Closing the connection and flushing the log may
    /// each add up to one second. Never throws; repeated calls wait for the same end.</summary>
    public async ValueTask DisposeAsync()
    {
        _parts.Lifecycle.Stop(null);
        await Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>Name, id and state for logs: "host-4242-1 (10.0.0.5:15001/7, Running)".</summary>
    public override string ToString() => $"{Name} ({Id}, {State})";

    private static async Task<QuickSilverNode> StartCoreAsync(
        QuickSilverOptions options, CancellationToken cancellationToken)
    {
        NodeOpening opening = await NodeOpener.OpenAsync(options, cancellationToken).ConfigureAwait(false);
        QuickSilverNode node;
        try
        {
            node = new QuickSilverNode(opening);
        }
        catch
        {
            opening.Transport.Dispose();
            await opening.Connector.DisposeAsync().ConfigureAwait(false);
            throw;
        }
        TimeSpan remaining = options.Membership.JoinTimeout - Stopwatch.GetElapsedTime(opening.Begun);
        if (options.Faults?.Switch is { } given) given.Node = node;
        await node._parts.StartAsync(remaining, cancellationToken).ConfigureAwait(false);
        return node;
    }

    private async Task<MessageSender[]> JoinAllAsync(
        List<string> names, HandleSettings settings, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        NodeServices services = _parts.Services;
        GroupHandle[] handles = [.. names.Select(name => new GroupHandle(services, name, settings))];
        MessageSender[] groups = Array.ConvertAll<GroupHandle, MessageSender>(
            handles, handle => handle.IsPublisher ? new GroupPublisher(this, handle) : new Group(this, handle));
        var join = new JoinOperation(Core, handles);
        services.Add(handles);
        if (!services.TryPost(join.Start))
        {
            foreach (GroupHandle handle in handles) services.Remove(handle);
            throw Disposed();
        }
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) => ((JoinOperation)state!).Cancel(token), join);
        await Task.WhenAny(join.Task, Completion).ConfigureAwait(false);
        if (!join.Task.IsCompleted) throw Disposed();
        try
        {
            await join.Task.ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            string trouble = await services.AskAsync(join.DescribeTrouble).ConfigureAwait(false);
            throw new OperationCanceledException(
                $"The {join.What} was cancelled: {trouble.TrimEnd('.')}. Its effects are undone.",
                cancellationToken);
        }
        if (settings.Inbox is { HasEnded: true } ended)
        {
            // It ended while the groups were joined: nobody could read them.
            LeaveOperation.Begin(Core, handles);
            throw ended.End?.Reason ?? new ObjectDisposedException(
                nameof(Inbox), $"The inbox was disposed of during the join of {join.Names}: create another.");
        }
        return groups;
    }

    // The reason why a node stopped by itself; a disposed node has no other reason.
    private Exception Disposed() =>
        StopReason ?? (Exception)new ObjectDisposedException(
            nameof(QuickSilverNode), $"The node '{Name}' has been disposed of: start another.");

    private HandleSettings ToSettings(GroupOptions? options)
    {
        if (options is null) return _defaults;
        GroupOptions copy = options.Copy();
        copy.Validate(nameof(options));
        if (copy.Inbox is { } inbox)
        {
            if (!ReferenceEquals(inbox.Node, this))
                throw new ArgumentException("Inbox: belongs to another node.", nameof(options));
            inbox.ThrowIfEnded();
        }
        return HandleSettings.From(copy, _parts.Services.Options.Delivery, copy.Inbox?.Core);
    }

    private static List<string> CheckNames(IEnumerable<string> names)
    {
        ArgumentNullException.ThrowIfNull(names);
        var list = new List<string>(names);
        var seen = new HashSet<string>(list.Count, StringComparer.Ordinal);
        foreach (string name in list)
        {
            Names.ThrowIfNotAGroupName(name, nameof(names));
            if (!seen.Add(name)) throw new ArgumentException($"The name '{name}' is given twice.", nameof(names));
        }
        return list;
    }

    private void Raise(NodeEvent happened) => Happened?.Invoke(this, happened);
}
