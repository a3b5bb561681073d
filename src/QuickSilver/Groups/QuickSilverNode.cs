namespace QuickSilver;

/// <summary>
/// One member of a cluster: the root of everything, made once and kept. It owns a thread, sockets and the groups joined through it. All members may be used by any thread.
/// </summary>
public sealed class QuickSilverNode : IAsyncDisposable
{
    private QuickSilverNode()
    {
    }

    /// <summary>The node's name, for people.</summary>
    public string Name => throw new NotSupportedException();

    /// <summary>The node's address and incarnation; a return after an eviction is a new incarnation.</summary>
    public MemberId Id => throw new NotSupportedException();

    /// <summary>What the node is doing.</summary>
    public NodeState State => throw new NotSupportedException();

    /// <summary>Ends with <see cref="DisposeAsync"/>; faults when the node stops by itself.</summary>
    public Task Completion => throw new NotSupportedException();

    /// <summary>What happens to the node. Raised on a pool thread, one at a time, in order; what a handler throws is logged.</summary>
#pragma warning disable CS0067
    public event EventHandler<NodeEvent>? Events;
#pragma warning restore CS0067

    /// <summary>Starts a node and waits until the membership server has admitted it.</summary>
    /// <param name="options">Copied and validated; null: the defaults, which need nothing but this machine.</param>
    /// <param name="ct">Ends the start.</param>
    /// <exception cref="ArgumentException">Lists what is wrong with the options, each by its path.</exception>
    /// <exception cref="MembershipUnavailableException">No membership server within <see cref="MembershipOptions.JoinTimeout"/>, or it refused the node.</exception>
    /// <exception cref="IncompatibleVersionException">The server speaks another version.</exception>
    /// <exception cref="QuickSilverException">No interface, port or multicast as asked for.</exception>
    public static Task<QuickSilverNode> StartAsync(QuickSilverOptions? options = null, CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>Joins a group. When it returns, the node has installed the view and every possible sender has switched to it or been removed: what is sent afterwards, by anyone, is seen.</summary>
    /// <param name="name">1-255 bytes of UTF-8, compared ordinally; names that begin with '$' are reserved.</param>
    /// <param name="options">Copied and validated.</param>
    /// <param name="ct">Ends the waiting; the join is undone in the background.</param>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.GroupModeMismatch"/>, <see cref="ErrorCode.JoinTimedOut"/>, <see cref="ErrorCode.MembershipRefused"/>.</exception>
    public ValueTask<Group> JoinAsync(string name, GroupOptions? options = null, CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>Joins groups, all or none, in one round of the membership.</summary>
    /// <returns>The handles, in the order of the names.</returns>
    /// <exception cref="ArgumentException">A name is invalid or given twice.</exception>
    public ValueTask<IReadOnlyList<Group>> JoinManyAsync(IEnumerable<string> names, GroupOptions? options = null, CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>Leaves groups in one round of the membership, after waiting like <see cref="Group.LeaveAsync"/>.</summary>
    public ValueTask LeaveManyAsync(IEnumerable<Group> groups, CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>A handle that sends without joining. Not built yet.</summary>
    /// <exception cref="QuickSilverException">Always, with <see cref="ErrorCode.NotSupported"/>.</exception>
    public ValueTask<GroupSender> OpenSenderAsync(string name, CancellationToken ct = default) => throw Unsupported.Feature("Send-only handles");

    /// <summary>A reader to be shared by groups. Not built yet.</summary>
    /// <exception cref="QuickSilverException">Always, with <see cref="ErrorCode.NotSupported"/>.</exception>
    public Inbox CreateInbox(InboxOptions? options = null) => throw Unsupported.Feature("Shared inboxes");

    /// <summary><see cref="GroupSender.FlushAsync"/> of every group at once.</summary>
    public ValueTask FlushAsync(CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>The node's figures: one cut from the end of a turn of the core, at most 100 ms old. Waits for nothing.</summary>
    public NodeStatistics GetStatistics() => throw new NotSupportedException();

    /// <summary>The busiest groups, largest first.</summary>
    /// <param name="count">At most so many.</param>
    /// <param name="by">What to sort by.</param>
    public IReadOnlyList<GroupStatistics> TopGroups(int count, GroupSort by = GroupSort.BytesReceived) => throw new NotSupportedException();

    /// <summary>Drains what was sent, says goodbye and ends every handle, within <see cref="ShutdownOptions.Timeout"/> even when a handler hangs. Never throws; again: nothing.</summary>
    public ValueTask DisposeAsync() => throw new NotSupportedException();
}
