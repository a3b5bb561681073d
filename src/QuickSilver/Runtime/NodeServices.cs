using QuickSilver.Diagnostics;
using QuickSilver.Inboxes;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>What the public objects of a node, on any thread, and its core share.</summary>
internal sealed class NodeServices
{
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromMilliseconds(500);

    private readonly Lock _lock = new();
    private readonly HashSet<GroupHandle> _handles = [];
    private CoreThread? _thread;

    /// <summary>Gathers them.</summary>
    /// <param name="options">The node's own copy.</param>
    /// <param name="name">The node's name.</param>
    /// <param name="requests">The way to the core.</param>
    /// <param name="clock">The node's clock.</param>
    /// <param name="log">The node's log.</param>
    /// <param name="events">The node's events.</param>
    public NodeServices(QuickSilverOptions options, string name, RequestQueue requests, IClock clock, NodeLog log, NodeEventQueue events)
    {
        Options = options;
        Name = name;
        Requests = requests;
        Clock = clock;
        Log = log;
        Events = events;
        UserCode = new CallbackWatchdog(options.Loop.StallWarning, log, events);
        Unsent = new UnsentBudget(2 * options.Pending.MaxUnsentBytesPerGroup);
        SendBuffers = new SendBufferPool(Math.Max(options.Pending.MaxBytesPerNode / 2, 2L << 20));
        StageBlocks = new StageBlockPool((int)Math.Max(options.Pending.MaxBytesPerNode / 2 / StageBlock.Bytes, 256));
        var nudge = new CoreAction(static _ => { });
        Inboxes = new InboxShared(options.Delivery.InboxMaxBytesPerNode, () => requests.Enqueue(nudge), static () => ProcessMemory.Shared.IsTight);
    }

    /// <summary>The node's own copy of its options; not changed any more.</summary>
    public QuickSilverOptions Options { get; }

    /// <summary>The node's name.</summary>
    public string Name { get; }

    /// <summary>The way to the core.</summary>
    public RequestQueue Requests { get; }

    /// <summary>The node's clock.</summary>
    public IClock Clock { get; }

    /// <summary>The node's log.</summary>
    public NodeLog Log { get; }

    /// <summary>The node's events.</summary>
    public NodeEventQueue Events { get; }

    /// <summary>Memory of messages on their way to the core.</summary>
    public SendBufferPool SendBuffers { get; }

    /// <summary>Memory of short messages on their way to the core.</summary>
    public StageBlockPool StageBlocks { get; }

    /// <summary>What all groups have unsent.</summary>
    public UnsentBudget Unsent { get; }

    /// <summary>Calls that wait at gates.</summary>
    public SendWaiterPool Waiters { get; } = new();

    /// <summary>What inboxes share.</summary>
    public InboxShared Inboxes { get; }

    /// <summary>Watches over user code on the core thread.</summary>
    public CallbackWatchdog UserCode { get; }

    /// <summary>True on the core thread.</summary>
    public bool IsCoreThread => _thread is { IsCurrent: true };

    /// <summary>Names the core thread. Once, before it starts.</summary>
    public void SetThread(CoreThread thread) => _thread = thread;

    /// <summary>Waits until the core thread has ended, however long that takes. Any other thread.</summary>
    public void WaitForCoreEnd() => _thread!.Ended.Wait();

    /// <summary>Has something done on the core thread. Any thread; allocates, so for what is rare.</summary>
    /// <returns>False when the core takes nothing more.</returns>
    public bool TryPost(Action<Instant> action) => Requests.Enqueue(new CoreAction(action));

    /// <summary>Asks the core something for an exception's text. Any thread; waits for a moment only, the core may hang.</summary>
    /// <param name="ask">Run on the core thread.</param>
    public async Task<string> AskAsync(Func<string> ask)
    {
        var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!TryPost(_ => answer.TrySetResult(Answer(ask)))) return "the node, which has stopped";
        await ((Task)answer.Task).WaitAsync(AnswerTimeout).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return answer.Task.IsCompletedSuccessfully ? answer.Task.Result : "the core thread, which does not answer: a handler or feed may hang";
    }

    /// <summary>Logs that what was sent is not known to be held, and is waited for no longer. Any thread.</summary>
    /// <param name="ended">What has ended, as the middle of a sentence.</param>
    /// <param name="awaited">The members that it waited for, in words.</param>
    public void OnDrainTimedOut(string ended, string awaited) => Log.Post(
        (Name, ended, Options.Shutdown.DrainTimeout, awaited),
        static (logger, s) => Diagnostics.Log.DrainTimedOut(logger, s.Name, s.ended, s.DrainTimeout, s.awaited));

    // What is only said to people must not end the core.
    private static string Answer(Func<string> ask)
    {
        try
        {
            return ask();
        }
        catch (Exception fault)
        {
            return $"what cannot be told ({fault.GetType().Name})";
        }
    }

    /// <summary>Keeps a handle among those that end with the node.</summary>
    public void Add(GroupHandle handle)
    {
        lock (_lock) _handles.Add(handle);
    }

    /// <summary>Forgets a handle that has ended.</summary>
    public void Remove(GroupHandle handle)
    {
        lock (_lock) _handles.Remove(handle);
    }

    /// <summary>All handles that have not ended.</summary>
    public GroupHandle[] Handles()
    {
        lock (_lock) return [.. _handles];
    }
}
