using QuickSilver.Protocol.Core;
using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>Statistics of the node, its groups and the members that it waits for.</summary>
public sealed partial class QuickSilverNode
{
    private static readonly TimeSpan CoreTimeout = TimeSpan.FromSeconds(1);

    /// <summary>Returns the latest statistics, taken at the end of a turn of the core thread. They are at most 100 ms
    /// old on a busy node, at most a second on an idle one. Does not wait; <see cref="GetStatisticsAsync"/> returns
    /// current ones.</summary>
    public NodeStatistics GetStatistics() => Core.Statistics!.Read();

    /// <summary>Returns statistics that include everything before the call. Waits until the core thread has taken them,
    /// normally one turn. After the node's end, returns the last ones. Costs a request to the core; not for every
    /// message.</summary>
    /// <param name="cancellationToken">Cancels the wait. A core that hangs in a handler takes no statistics until the
    /// handler returns.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
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

    /// <summary>Returns the busiest groups, largest first. Waits for a turn of the core thread. If the core does not
    /// answer within a second, for example because a handler hangs, the figures are read without it. O(joined groups);
    /// allocates a record for each.</summary>
    /// <param name="count">Limit on the number of groups.</param>
    /// <param name="by">Figure to sort by.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is negative, or <paramref name="by"/> has
    /// no name.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public async Task<IReadOnlyList<GroupStatistics>> GetTopGroupsAsync(
        int count, GroupSort by = GroupSort.BytesReceived, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        if (!Enum.IsDefined(by)) throw new ArgumentOutOfRangeException(nameof(by));
        List<GroupStatistics>? groups = await AskCoreAsync(
            _ => GroupRanking.Collect(Core.Directory.Groups), cancellationToken)
            .ConfigureAwait(false);
        return GroupRanking.Top(groups ?? GroupRanking.Collect(_parts.Services.Handles()), count, by);
    }

    /// <summary>Returns the members that are behind in the regions which this node is in or sends to, slowest first,
    /// with reason and time. Empty if no member is behind; may include this node. Waits for a turn of the core thread.
    /// If the core does not answer within a second, returns the members of the last log record. Allocates a record for
    /// each.</summary>
    /// <param name="count">Limit on the number of members. Each region contributes at most its eight slowest.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is negative.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public async Task<IReadOnlyList<MemberLag>> GetSlowestMembersAsync(
        int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        LagReports lags = Core.Lags;
        IReadOnlyList<MemberLag>? found = await AskCoreAsync(
            now => lags.ToPublic(Core.Stack.FindLagging(now), now), cancellationToken)
            .ConfigureAwait(false);
        return [.. (found ?? lags.Latest).Take(count)];
    }

    // Null if the core is closed to requests, or does not answer in time.
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
}
