using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>
/// One member of a cluster: the root of everything, made once and kept. It owns a thread, sockets and the groups joined through it. All members may
/// be used by any thread.
/// <para>
/// It ends with <see cref="DisposeAsync"/>; or by itself, when its core thread fails, or as <see cref="EvictionPolicy.StopNode"/> and
/// <see cref="HandlerErrorPolicy.StopNode"/> say: then <see cref="Completion"/> faults with the reason, and a dispose has nothing left to do.
/// </para>
/// </summary>
public sealed class QuickSilverNode : IAsyncDisposable
{
    private static readonly TimeSpan CoreTimeout = TimeSpan.FromSeconds(1);

    private readonly NodeParts _parts;
    private readonly HandleSettings _defaults;

    private QuickSilverNode(NodeOpening opening)
    {
        _parts = NodeComposer.Compose(opening, Raise);
        _defaults = HandleSettings.From(new GroupOptions(), opening.Options.Delivery);
    }

    private event EventHandler<NodeEvent>? Happened;

    /// <summary>What happens to the node. Raised on a pool thread, one at a time, in order; what a handler throws is logged. What happened before the
    /// first handler was added, the start of the node included, is kept for it, the last 64 events;
    /// later handlers get what happens from then on.</summary>
    public event EventHandler<NodeEvent>? Events
    {
        add
        {
            Happened += value;
            if (value is not null) _parts.Services.Events.Begin();
        }
        remove => Happened -= value;
    }

    /// <summary>The node's name, for people.</summary>
    public string Name => _parts.Services.Name;

    /// <summary>The node's address and incarnation; a return after an eviction is a new incarnation.</summary>
    public MemberId Id => _parts.Lifecycle.Id;

    /// <summary>What the node is doing.</summary>
    public NodeState State => _parts.Lifecycle.State;

    /// <summary>Ends with <see cref="DisposeAsync"/>; faults when the node stops by itself.</summary>
    public Task Completion => _parts.Lifecycle.Completion;

    internal NodeCore Core => _parts.Core;

    /// <summary>Why the node stops by itself; null when it does not.</summary>
    internal QuickSilverException? StopReason => _parts.Lifecycle.StopReason;

    /// <summary>Starts a node and waits until the membership server has admitted it.</summary>
    /// <param name="options">Copied and validated; null: the defaults, which need nothing but this machine.</param>
    /// <param name="cancellationToken">Ends the start. The exception says what it had met.</param>
    /// <exception cref="ArgumentException">Lists what is wrong with the options, each by its path.</exception>
    /// <exception cref="MembershipUnavailableException">No membership server within <see cref="MembershipOptions.JoinTimeout"/>, or
    /// it refused the node, or this node cannot host it as <see cref="MembershipMode.Host"/> asks.</exception>
    /// <exception cref="OperationCanceledException">The token; says how the search for a membership server stood.</exception>
    /// <exception cref="IncompatibleVersionException">The server speaks another version.</exception>
    /// <exception cref="WireProtocolException">What the server and this node said to each other broke the protocol.</exception>
    /// <exception cref="QuickSilverException">No interface, port or multicast as asked for.</exception>
    public static Task<QuickSilverNode> StartAsync(QuickSilverOptions? options = null, CancellationToken cancellationToken = default)
    {
        QuickSilverOptions copy = (options ?? new QuickSilverOptions()).Copy();
        copy.Check().ThrowIfAny(nameof(options));
        cancellationToken.ThrowIfCancellationRequested();
        return Task.Run(() => StartCoreAsync(copy, cancellationToken), CancellationToken.None);
    }

    /// <summary>Joins a group. When it returns, the node has installed the view and every possible sender has switched to it or been removed: what is
    /// sent afterwards, by anyone, is seen.</summary>
    /// <param name="name">1-255 bytes of UTF-8 without control characters, compared ordinally; names that begin with '$' are reserved.</param>
    /// <param name="options">Copied and validated.</param>
    /// <param name="cancellationToken">Ends the waiting; the join is undone in the background. The exception says what it waited for.</param>
    /// <exception cref="ArgumentException">The name, or an option.</exception>
    /// <exception cref="OperationCanceledException">The token; says what the join waited for.</exception>
    /// <exception cref="ObjectDisposedException">The node has been disposed of.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.GroupModeMismatch"/>, <see cref="ErrorCode.JoinTimedOut"/>,
    /// <see cref="ErrorCode.MembershipRefused"/>.</exception>
    public async Task<Group> JoinAsync(string name, GroupOptions? options = null, CancellationToken cancellationToken = default)
    {
        Names.ThrowIfNotAGroupName(name, nameof(name));
        Group[] joined = await JoinAllAsync([name], ToSettings(options), cancellationToken).ConfigureAwait(false);
        return joined[0];
    }

    /// <summary>Joins groups, all or none, in one round of the membership; otherwise as <see cref="JoinAsync"/>, with its exceptions.</summary>
    /// <param name="names">As of <see cref="JoinAsync"/>, each once.</param>
    /// <param name="options">Copied and validated; the same for all.</param>
    /// <param name="cancellationToken">Ends the waiting; the joins are undone in the background. The exception says what they waited for.</param>
    /// <returns>The handles, in the order of the names.</returns>
    /// <exception cref="ArgumentException">A name is invalid or given twice, or an option is.</exception>
    public async Task<IReadOnlyList<Group>> JoinManyAsync(
        IEnumerable<string> names, GroupOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(names);
        var list = new List<string>(names);
        var seen = new HashSet<string>(list.Count, StringComparer.Ordinal);
        foreach (string name in list)
        {
            Names.ThrowIfNotAGroupName(name, nameof(names));
            if (!seen.Add(name)) throw new ArgumentException($"The name '{name}' is given twice.", nameof(names));
        }
        HandleSettings settings = ToSettings(options);
        return list.Count == 0 ? [] : Array.AsReadOnly(await JoinAllAsync(list, settings, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>Leaves groups in one round of the membership, after waiting like <see cref="Group.LeaveAsync"/>. Handles that have ended already are
    /// passed over.</summary>
    /// <param name="groups">Handles of this node.</param>
    /// <param name="cancellationToken">Ends the waiting only: the groups are left all the same. The exception names the members it waited for.</param>
    /// <exception cref="ArgumentException">A handle is null, or of another node; nothing is left.</exception>
    /// <exception cref="OperationCanceledException">The token; names whom what was sent waits for.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile:
    /// whether others hold what was sent is not known.</exception>
    /// <exception cref="QuickSilverException">The node has stopped by itself meanwhile; this is the reason.</exception>
    public async Task LeaveManyAsync(IEnumerable<Group> groups, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(groups);
        var list = new List<Group>(groups);
        foreach (Group group in list)
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
            // Those that another call was leaving already are waited for too.
            foreach (Group left in list) await left.Completion.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            string awaited = await _parts.Services.AskAsync(Core.Directory.DescribeAwaited).ConfigureAwait(false);
            throw new OperationCanceledException(
                $"{nameof(LeaveManyAsync)} was cancelled. It waited for {awaited}. The groups are left in the background.", cancellationToken);
        }
    }

    /// <summary><see cref="Group.FlushAsync"/> of every group at once.</summary>
    /// <param name="cancellationToken">Ends the waiting only. The exception names the members it waited for.</param>
    /// <exception cref="OperationCanceledException">The token; names whom the messages wait for.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile.</exception>
    /// <exception cref="ObjectDisposedException">The node was disposed of meanwhile.</exception>
    public async Task FlushAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var flush = new CountdownFlush();
        if (!_parts.Services.TryPost(now => Core.Directory.Flush(flush, now))) throw Disposed();
        try
        {
            await Task.WhenAny(flush.Task, Completion).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            string awaited = await _parts.Services.AskAsync(Core.Directory.DescribeAwaited).ConfigureAwait(false);
            throw new OperationCanceledException($"{nameof(FlushAsync)} was cancelled. It waited for {awaited}.", cancellationToken);
        }
        if (!flush.Task.IsCompleted) throw Disposed();
        await flush.Task.ConfigureAwait(false);
    }

    /// <summary>The node's figures: one cut from the end of a turn of the core, up to 100 ms old while the node has something to do, up to a second
    /// while it has nothing. Waits for nothing. <see cref="GetStatisticsAsync"/> has what counts up to the call.</summary>
    public NodeStatistics GetStatistics() => Core.Statistics!.Read();

    /// <summary>As <see cref="GetStatistics"/>, with all that had happened before the call: asks the core for a cut and waits for it, a turn as a
    /// rule. After the node's end, the last cut. Costs a request to the core: not for every message.</summary>
    /// <param name="cancellationToken">Ends the waiting: a core that hangs in a handler cuts nothing until that returns.</param>
    /// <exception cref="OperationCanceledException">The token.</exception>
    public async Task<NodeStatistics> GetStatisticsAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var cut = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isPosted = _parts.Services.TryPost(now =>
        {
            Core.Statistics!.Cut(now);
            cut.SetResult();
        });
        if (isPosted) await Task.WhenAny(cut.Task, Completion).WaitAsync(cancellationToken).ConfigureAwait(false);
        return GetStatistics();
    }

    /// <summary>The busiest groups, largest first. Asks the core thread for their figures and waits for its turn; when it does not answer within a
    /// second, because a handler hangs, the figures are read without it. O(groups joined); allocates a record for each.</summary>
    /// <param name="count">At most so many.</param>
    /// <param name="by">What to sort by.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <exception cref="OperationCanceledException">The token.</exception>
    public async Task<IReadOnlyList<GroupStatistics>> GetTopGroupsAsync(
        int count, GroupSort by = GroupSort.BytesReceived, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        if (!Enum.IsDefined(by)) throw new ArgumentOutOfRangeException(nameof(by));
        List<GroupStatistics>? groups = await AskCoreAsync(_ => GroupRanking.Collect(Core.Directory.Groups), cancellationToken)
            .ConfigureAwait(false);
        return GroupRanking.Top(groups ?? GroupRanking.Collect(_parts.Services.Handles()), count, by);
    }

    /// <summary>The members that are behind in the regions that this node is in or sends to, the slowest first, with why and since when. Empty when
    /// all is well; may name this node. Asks the core thread and waits for its turn; when it does not answer within a second, the members are those
    /// of the last log record. Allocates a record for each.</summary>
    /// <param name="count">At most so many; a region names its eight worst.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <exception cref="OperationCanceledException">The token.</exception>
    public async Task<IReadOnlyList<MemberLag>> GetSlowestMembersAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        LagReports lags = Core.Lags;
        IReadOnlyList<MemberLag>? found = await AskCoreAsync(now => lags.ToPublic(Core.Stack.FindLagging(now), now), cancellationToken)
            .ConfigureAwait(false);
        return [.. (found ?? lags.Latest).Take(count)];
    }

    /// <summary>
    /// Tells the membership server that members of a name are gone for good: those that it waits for since it took over, and those that it knows and has
    /// lost sight of. They count as removed from then on: should one live, it is evicted when it comes back. For an operator, when the server waits for a
    /// majority (<see cref="NodeState.WaitingForMajority"/>) that will not come. Only on the node that serves the membership.
    /// </summary>
    /// <param name="name">The members' name, as the log and <see cref="NodeStateChanged.Reason"/> say it, without the address.</param>
    /// <param name="cancellationToken">Ends the waiting only.</param>
    /// <returns>How many members of that name there were: names need not be unique.</returns>
    /// <exception cref="ArgumentException">The name is null or empty.</exception>
    /// <exception cref="OperationCanceledException">The token.</exception>
    /// <exception cref="ObjectDisposedException">The node has been disposed of.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.NotServing"/>: another process serves the membership;
    /// <see cref="ErrorCode.NoSuchMember"/>: no member of that name is missing, or the only ones are connected.</exception>
    public async Task<int> ForgetMemberAsync(string name, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        cancellationToken.ThrowIfCancellationRequested();
        if (State is NodeState.Stopping or NodeState.Stopped) throw Disposed();
        int forgotten = _parts.Host is { } host
            ? await host.ForgetMemberAsync(_parts.Services.Options.ClusterName, name).WaitAsync(cancellationToken).ConfigureAwait(false)
            : -1;
        if (forgotten < 0)
        {
            throw new QuickSilverException(
                ErrorCode.NotServing,
                $"The node '{Name}' does not serve the membership: call ForgetMemberAsync on the node that does (log record 1101 says which).");
        }
        if (forgotten > 0) return forgotten;
        throw new QuickSilverException(
            ErrorCode.NoSuchMember,
            $"No member named '{name}' is missing: take the name from log record 1120 or 1121, without the address. One that is connected is not forgotten.");
    }

    /// <summary>Drains what was sent, says goodbye and ends every handle, within <see cref="ShutdownOptions.Timeout"/> even when a handler hangs; to
    /// close the connection and to write the log out may take a second each beyond it. Never throws; again: nothing.</summary>
    public async ValueTask DisposeAsync()
    {
        _parts.Lifecycle.Stop(null);
        await Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>"host-4242-1 (10.0.0.5:15001/7, Running)".</summary>
    public override string ToString() => $"{Name} ({Id}, {State})";

    private static async Task<QuickSilverNode> StartCoreAsync(QuickSilverOptions options, CancellationToken cancellationToken)
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
        TimeSpan left = options.Membership.JoinTimeout - Stopwatch.GetElapsedTime(opening.Begun);
        await node._parts.StartAsync(left, cancellationToken).ConfigureAwait(false);
        return node;
    }

    private async Task<Group[]> JoinAllAsync(List<string> names, HandleSettings settings, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        NodeServices services = _parts.Services;
        GroupHandle[] handles = [.. names.Select(name => new GroupHandle(Core, services, name, settings))];
        Group[] groups = Array.ConvertAll(handles, handle => new Group(this, handle));
        var join = new JoinOperation(Core, handles, settings.Mode);
        foreach (GroupHandle handle in handles) services.Add(handle);
        if (!services.TryPost(join.Start))
        {
            foreach (GroupHandle handle in handles) services.Remove(handle);
            throw Disposed();
        }
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(static (state, token) => ((JoinOperation)state!).Cancel(token), join);
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
                $"The join of {join.Names} was cancelled: {trouble.TrimEnd('.')}. What it brought about is undone.", cancellationToken);
        }
        return groups;
    }

    // Null when the core takes nothing more, or does not answer for a while.
    private async Task<T?> AskCoreAsync<T>(Func<Instant, T> ask, CancellationToken cancellationToken)
        where T : class
    {
        cancellationToken.ThrowIfCancellationRequested();
        var answer = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!_parts.Services.TryPost(now => answer.TrySetResult(ask(now)))) return null;
        Task first = await Task.WhenAny(answer.Task, Task.Delay(CoreTimeout, CancellationToken.None))
            .WaitAsync(cancellationToken).ConfigureAwait(false);
        return first == answer.Task ? await answer.Task.ConfigureAwait(false) : null;
    }

    // A node that stopped by itself says why; one that was disposed of has nothing more to say.
    private Exception Disposed() =>
        StopReason ?? (Exception)new ObjectDisposedException(nameof(QuickSilverNode), $"The node '{Name}' has been disposed of: start another.");

    private HandleSettings ToSettings(GroupOptions? options)
    {
        if (options is null) return _defaults;
        GroupOptions copy = options.Copy();
        copy.Validate(nameof(options));
        return HandleSettings.From(copy, _parts.Services.Options.Delivery);
    }

    private void Raise(NodeEvent happened) => Happened?.Invoke(this, happened);
}
