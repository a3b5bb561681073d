using System.Runtime.CompilerServices;
using QuickSilver.Diagnostics;

namespace QuickSilver.Runtime;

/// <summary>
/// Calls the inline handlers of a handle. Each message goes to all of them, in the order of their attachment, before
/// the next message. A batch handler that is the only handler receives the rest of a batch in one call. Among others it
/// receives batches of one message, which preserves that order.
/// <para>
/// Awkward cases: a handler may throw, attach others, remove itself, or end the group. The position is recorded before
/// each call, so that the calls continue after one that threw. The list of handlers is read again for every message.
/// Calls are made in groups, as many as are timed together (<see cref="CallbackWatchdog"/>).
/// </para>
/// Cost: a few nanoseconds a call. Allocates nothing. Core thread only.
/// </summary>
/// <param name="owner">The handle whose handlers these are.</param>
internal sealed class InlineHandlers(GroupHandle owner)
{
    private InlineRegistration[] _all = [];

    // The only one: the usual handle touches no array.
    private InlineRegistration? _only;

    /// <summary>True when no handler is attached.</summary>
    public bool IsEmpty => _only is null && _all.Length == 0;

    /// <summary>Attaches a handler, behind the others.</summary>
    public void Add(InlineRegistration registration) => Set([.. _all, registration]);

    /// <summary>Removes a handler.</summary>
    public void Remove(InlineRegistration registration) =>
        Set(Array.FindAll(_all, other => !ReferenceEquals(other, registration)));

    /// <summary>Removes all handlers, and releases the references to the application's delegates.</summary>
    public void Clear()
    {
        foreach (InlineRegistration registration in _all) registration.LetGo();
        Set([]);
    }

    /// <summary>Finds the handler that receives the held messages: the one that reserved them, or the first one left
    /// after its removal.</summary>
    public InlineRegistration? TakerFor(InlineRegistration reserving) =>
        !reserving.IsRemoved ? reserving : Array.Find(_all, static other => !other.IsRemoved);

    /// <summary>Passes one message to one handler.</summary>
    public void CallOne(InlineRegistration registration, in MessageBatch message)
    {
        GroupCore core = owner.Core!;
        core.EnterUserCode(LoopPhase.MessageHandler);
        try
        {
            if (registration.BatchHandler is { } batchHandler) batchHandler(message);
            else registration.Handler!(message[0]);
        }
        catch (Exception fault)
        {
            core.OnUserFault(owner, fault);
        }
        core.LeaveUserCode();
    }

    /// <summary>Passes a batch to all handlers.</summary>
    public void Call(in MessageBatch batch)
    {
        if (_only is { } only && (batch.Count == 1 || only.BatchHandler is not null))
        {
            // A removed one has no handler, and is taken out in the same turn.
            if (!only.IsRemoved) CallOne(only, batch);
            return;
        }
        GroupCore core = owner.Core!;
        var calls = new InlineCalls(_all);
        while (calls.Message < batch.Count)
        {
            int before = calls.Made;
            core.EnterUserCode(LoopPhase.MessageHandler);
            try
            {
                CallSome(batch, ref calls);
            }
            catch (Exception fault)
            {
                core.OnUserFault(owner, fault);
            }
            core.LeaveUserCode(calls.Made - before);
        }
    }

    private void Set(InlineRegistration[] all)
    {
        _all = all;
        _only = all.Length == 1 ? all[0] : null;
    }

    // Not inlined: locals of a method that catches live in memory, not in registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CallSome(in MessageBatch batch, ref InlineCalls calls)
    {
        if (calls.Handler == 0) calls.Handlers = _all;
        if (calls.Handler > 0 || calls.Handlers.Length != 1) CallAll(batch, ref calls);
        else if (calls.Handlers[0].BatchHandler is { } batchHandler) CallOnly(batchHandler, batch, ref calls);
        else CallOnly(calls.Handlers[0].Handler!, batch, ref calls);
    }

    private void CallAll(in MessageBatch batch, ref InlineCalls calls)
    {
        int limit = calls.Made + CallbackWatchdog.MaxTimedCalls;
        while (calls.Message < batch.Count && calls.Made < limit)
        {
            if (calls.Handler == calls.Handlers.Length)
            {
                calls.Message++;
                calls.Handler = 0;
                calls.Handlers = _all;
                continue;
            }
            InlineRegistration registration = calls.Handlers[calls.Handler++];
            if (registration.IsRemoved) continue;
            calls.Made++;
            if (registration.BatchHandler is { } batchHandler) batchHandler(batch.Part(calls.Message, 1));
            else registration.Handler!(batch[calls.Message]);
        }
    }

    private void CallOnly(MessageHandler handler, in MessageBatch batch, ref InlineCalls calls)
    {
        InlineRegistration[] handlers = calls.Handlers;
        int end = Math.Min(batch.Count, calls.Message + CallbackWatchdog.MaxTimedCalls);
        for (int message = calls.Message; message < end && ReferenceEquals(handlers, _all); message++)
        {
            calls.Message = message + 1;
            if (handlers[0].IsRemoved) continue;
            calls.Made++;
            handler(batch[message]);
        }
    }

    private static void CallOnly(MessageBatchHandler handler, in MessageBatch batch, ref InlineCalls calls)
    {
        int first = calls.Message;
        calls.Message = batch.Count;
        if (calls.Handlers[0].IsRemoved) return;
        calls.Made++;
        handler(batch.Part(first, batch.Count - first));
    }
}
