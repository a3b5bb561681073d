using System.Buffers.Binary;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Diagnostics;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Runtime;

namespace QuickSilver.Tests.Inboxes;

/// <summary>One handle on a group whose core is driven by hand: the test delivers, runs requests and ends turns, in
/// whatever order it likes.</summary>
internal sealed class HandleRig
{
    private static readonly NodeInfo Sender = InboxRig.Node("sender", 9);

    private readonly Arena _arena;
    private readonly NodeCore _node;
    private readonly GroupCore _group;
    private readonly GroupHandle _handle;

    public HandleRig(GroupOptions? options = null)
    {
        var settings = new QuickSilverOptions();
        var log = new NodeLog(NullLoggerFactory.Instance, "rig");
        var events = new NodeEventQueue(log, static _ => { });
        Requests = new RequestQueue(new WakeGate(new NoCompletions()));
        Services = new NodeServices(settings, "rig", Requests, new MonotonicClock(), log, events);
        var lifecycle = new NodeLifecycle("rig", log, events, new NodeReporter(log));
        _node = new NodeCore(
            Services, lifecycle, new NodeSettings { ClusterName = "rig", NodeName = "rig" }, null!, Pool,
            new SeededRandom(1));
        _group = new GroupCore(_node, "group", GroupMode.Reliable);
        _handle = new GroupHandle(
            Services, "group", HandleSettings.From(options ?? new GroupOptions(), settings.Delivery));
        Handle = new Group(null!, _handle);
        _group.Attach(_handle);
        _arena = new Arena(Pool, BufferOwner.Cache);
    }

    public BufferPool Pool { get; } = new();

    public NodeServices Services { get; }

    public RequestQueue Requests { get; }

    public Group Handle { get; }

    /// <summary>Messages that have been sent; numbers begin with 1.</summary>
    public ulong Sent { get; private set; }

    /// <summary>Messages that have been delivered.</summary>
    public ulong Delivered { get; private set; }

    public static ulong Read(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadUInt64LittleEndian(payload);

    public void Send(int count = 1) => Sent += (ulong)count;

    /// <summary>Delivers what has been sent, as one run of at most so many.</summary>
    public void Deliver(int most)
    {
        int count = (int)Math.Min((ulong)most, Sent - Delivered);
        if (count == 0) return;
        Slice slice = _arena.Take(count * sizeof(ulong));
        for (int index = 0; index < count; index++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(
                slice.Span[(index * sizeof(ulong))..], Delivered + (ulong)index + 1);
        }
        var run = new DeliveryBatch(Delivered + 1, slice with { Length = sizeof(ulong) }, count, sizeof(ulong));
        _group.OnMessages(Sender, run, Instant.Zero);
        slice.Release();
        Delivered += (ulong)count;
    }

    public void RunRequests() => Requests.RunAll(Instant.Zero);

    public void EndTurn()
    {
        _node.Touched.Clear();
        _group.OnTurnEnded();
        Services.Inboxes.Returns.Drain();
    }

    /// <summary>Takes a handler out from another thread, while this one is the core.</summary>
    public void Dispose(IDisposable registration)
    {
        var disposing = Task.Run(registration.Dispose);
        var spin = default(SpinWait);
        while (!disposing.IsCompleted)
        {
            RunRequests();
            spin.SpinOnce();
        }
    }

    /// <summary>The handle is over, and all memory is to be home.</summary>
    public int Close(Exception? reason)
    {
        RunRequests();
        _handle.TryEnd(reason);
        _handle.Finish(reason);
        _group.Detach(_handle);
        _handle.Discard();
        _arena.Close();
        Services.Inboxes.Returns.Drain();
        return Pool.OutstandingChunks;
    }
}
