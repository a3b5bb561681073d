using System.Diagnostics;
using QuickSilver.Diagnostics;
using QuickSilver.Inboxes;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>The services that a node's core shares with its public objects. Any thread, unless a member says
/// otherwise.</summary>
internal sealed class NodeServices
{
    private const int MostLooks = 50;
    private const int MostNames = 8;

    private static readonly TimeSpan BetweenLooks = TimeSpan.FromMilliseconds(10);

    private readonly Lock _lock = new();
    private readonly KeyedSet<GroupHandle, GroupHandle> _handles =
        new(static handle => handle, ReferenceEqualityComparer.Instance);
    private CoreThread? _thread;
    private ulong _longMessages;

    /// <summary>Creates the services of a node that has not started.</summary>
    /// <param name="options">The node's own copy of its options.</param>
    /// <param name="name">The node's name.</param>
    /// <param name="requests">The request queue of the core thread.</param>
    /// <param name="clock">The node's clock.</param>
    /// <param name="log">The node's log.</param>
    /// <param name="events">The node's events.</param>
    public NodeServices(
        QuickSilverOptions options, string name, RequestQueue requests, IClock clock, NodeLog log,
        NodeEventQueue events)
    {
        Options = options;
        Name = name;
        Requests = requests;
        Clock = clock;
        Log = log;
        Events = events;
        UserCode = new CallbackWatchdog(options.Loop.StallWarning, log, events);
        Unsent = new UnsentBudget(2 * options.Pending.MaxUnsentBytesPerRegion);
        SendBuffers = new SendBufferPool(Math.Max(options.Pending.MaxBytesPerNode / 2, 2L << 20));
        StageBlocks = new StageBlockPool((int)Math.Max(options.Pending.MaxBytesPerNode / 2 / StageBlock.Bytes, 256));
        var nudge = new CoreAction(static _ => { });
        Inboxes = new NodeInboxes(
            options.Delivery.InboxMaxBytesPerNode, () => requests.Enqueue(nudge),
            static () => ProcessMemory.Shared.IsTight);
        LongMessages = new LongMessageBudget(options.Delivery.InboxMaxBytesPerNode);
        Drains = new DrainClock(options.Shutdown.DrainTimeout, clock);
    }

    /// <summary>The node's own copy of its options, which no longer change.</summary>
    public QuickSilverOptions Options { get; }

    /// <summary>The node's name.</summary>
    public string Name { get; }

    /// <summary>The node's core, for the core thread and for members that name any thread; null before it is
    /// made.</summary>
    public NodeCore? Core { get; set; }

    /// <summary>The request queue of the core thread.</summary>
    public RequestQueue Requests { get; }

    /// <summary>The node's clock.</summary>
    public IClock Clock { get; }

    /// <summary>The node's log.</summary>
    public NodeLog Log { get; }

    /// <summary>The node's events.</summary>
    public NodeEventQueue Events { get; }

    /// <summary>Buffers of long or confirmed messages on their way to the core.</summary>
    public SendBufferPool SendBuffers { get; }

    /// <summary>Buffers of short messages on their way to the core.</summary>
    public StageBlockPool StageBlocks { get; }

    /// <summary>The unsent bytes of all groups, against their common limit.</summary>
    public UnsentBudget Unsent { get; }

    /// <summary>Pooled waiters of sends that wait at gates.</summary>
    public SendWaiterPool Waiters { get; } = new();

    /// <summary>The state that all inboxes share.</summary>
    public NodeInboxes Inboxes { get; }

    /// <summary>The unread bytes of long messages, against their common limit.</summary>
    public LongMessageBudget LongMessages { get; }

    /// <summary>The time that all disposes of the node may wait for members.</summary>
    public DrainClock Drains { get; }

    /// <summary>Times user code on the core thread.</summary>
    public CallbackWatchdog UserCode { get; }

    /// <summary>True on the core thread.</summary>
    public bool IsCoreThread => _thread is { IsCurrent: true };

    /// <summary>Fails in debug builds unless called on the core thread, or while it does not run: before its start and
    /// after its end another thread may hold the node's parts.</summary>
    [Conditional("DEBUG")]
    public void CheckCoreThread() => Debug.Assert(
        _thread is not { IsRunning: true } thread || thread.IsCurrent,
        "A member for the core thread is called on another thread.");

    /// <summary>Returns a name for a long message of this node that no other has.</summary>
    public ulong NextLongMessage() => Interlocked.Increment(ref _longMessages);

    /// <summary>Sets the core thread. Call once, before it starts.</summary>
    public void SetThread(CoreThread thread) => _thread = thread;

    /// <summary>Completes when the core thread has ended.</summary>
    public Task CoreEnd => _thread!.Ended;

    /// <summary>Runs an action on the core thread, in a later turn. Allocates, so it is for rare events.</summary>
    /// <returns>False when the core no longer takes requests: the action will not run.</returns>
    public bool TryPost(Action<Instant> action) => Requests.Enqueue(new CoreAction(action));

    /// <summary>Asks the core thread for a text for an exception. While the core is held by the application's code, the
    /// text comes from the last report on members that are behind, and nothing is waited for. Otherwise the core has
    /// 500 ms to answer.</summary>
    /// <param name="ask">Produces the text, on the core thread.</param>
    public async Task<string> AskAsync(Func<string> ask)
    {
        var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!TryPost(_ => answer.TrySetResult(Answer(ask)))) return "the node, which has stopped";
        long seen = 0;
        for (int looks = 0; looks < MostLooks && !answer.Task.IsCompleted; looks++)
        {
            if (UserCode.IsHeldSince(ref seen)) break;
            await ((Task)answer.Task).WaitAsync(BetweenLooks).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        return answer.Task.IsCompletedSuccessfully ? answer.Task.Result : LastKnown();
    }

    /// <summary>Logs that a drain timed out: sent messages are not known to be held by every member.</summary>
    /// <param name="ended">The event that ended the wait, as the middle of a sentence.</param>
    /// <param name="awaited">The members that have not confirmed, in words.</param>
    public void OnDrainTimedOut(string ended, string awaited) => Log.Post(
        (Name, ended, Options.Shutdown.DrainTimeout, awaited),
        static (logger, s) => Diagnostics.Log.DrainTimedOut(logger, s.Name, s.ended, s.DrainTimeout, s.awaited));

    /// <summary>Logs that the start or a join goes on beyond its time, because this process serves others.</summary>
    /// <param name="what">The call, in words.</param>
    /// <param name="trouble">What it waits for, as a sentence.</param>
    /// <param name="others">The number of other nodes that are served.</param>
    public void OnOwnCallLate(string what, string trouble, int others) => Log.Post(
        (Name, what, Options.Membership.JoinTimeout, trouble, others),
        static (logger, s) => Diagnostics.Log.OwnCallLate(
            logger, s.Name, s.what, s.JoinTimeout, s.trouble, s.others));

    /// <summary>Logs that a call has waited for members for some seconds.</summary>
    /// <param name="group">Name of the group.</param>
    /// <param name="count">The number of nodes that is waited for.</param>
    /// <param name="view">The present view.</param>
    public void OnMembersAwaited(string group, int count, GroupView view) => Log.Post(
        (Name, group, count, view.MemberCount, Place: MeetingPlace.Of(Options)),
        static (logger, s) => Diagnostics.Log.MembersAwaited(
            logger, s.Name, s.count, s.group, s.MemberCount, s.Place));

    private string LastKnown()
    {
        string text = $"the core thread, which does not answer: it is in {UserCode.Present}";
        IReadOnlyList<MemberLag> behind = Core?.Lags.Latest ?? [];
        return behind.Count == 0
            ? text
            : $"{text}. Behind before that: {string.Join(", ", behind.Take(MostNames).Select(static lag =>
                $"{QuotedName.Of(lag.Member.Name)} ({lag.Member.Id})"))}";
    }

    // A failure to produce a diagnostic text must not end the core.
    private static string Answer(Func<string> ask)
    {
        try
        {
            return ask();
        }
        catch (Exception fault)
        {
            return $"a text that could not be produced ({fault.GetType().Name})";
        }
    }

    /// <summary>Adds handles to those that end with the node.</summary>
    public void Add(GroupHandle[] handles)
    {
        lock (_lock)
        {
            _handles.Expect(handles.Length);
            foreach (GroupHandle handle in handles) _handles.Add(handle);
        }
    }

    /// <summary>Removes a handle that has ended.</summary>
    public void Remove(GroupHandle handle)
    {
        lock (_lock)
        {
            _handles.Remove(handle, out _);
            _handles.Trim();
        }
    }

    /// <summary>Returns the handles that have not ended.</summary>
    public GroupHandle[] Handles()
    {
        lock (_lock) return [.. _handles];
    }
}
