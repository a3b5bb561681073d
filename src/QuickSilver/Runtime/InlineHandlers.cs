using System.Runtime.CompilerServices;
using QuickSilver.Diagnostics;

namespace QuickSilver.Runtime;

/// <summary>
/// The inline handlers of a handle, and their calls: each message goes to all of them, in the order in which they were attached, before the next. A
/// handler of runs that is the only one gets what is left of a run in one call; among others it gets runs of one message, or their order would be lost.
/// <para>
/// Awkward cases: a handler may throw, attach others, take itself out, or end the group. Where the calls stand is written down before each, so that
/// they go on behind one that threw; who is called is looked up anew for every message. Calls are made in pieces, as many as are timed together
/// (<see cref="CallbackWatchdog"/>).
/// </para>
/// Cost: a few nanoseconds a call. Allocates nothing. Core thread only.
/// </summary>
/// <param name="owner">The handle.</param>
internal sealed class InlineHandlers(GroupHandle owner)
{
    private InlineRegistration[] _all = [];

    /// <summary>True when there is none.</summary>
    public bool IsEmpty => _all.Length == 0;

    /// <summary>Attaches one more.</summary>
    public void Add(InlineRegistration registration) => _all = [.. _all, registration];

    /// <summary>Takes one out.</summary>
    public void Remove(InlineRegistration registration) => _all = Array.FindAll(_all, other => !ReferenceEquals(other, registration));

    /// <summary>Takes all out, and lets the application's handlers go.</summary>
    public void Clear()
    {
        foreach (InlineRegistration registration in _all) registration.LetGo();
        _all = [];
    }

    /// <summary>The handler that gets what was held for another one: that itself, or, when it has taken itself out, the first there is.</summary>
    public InlineRegistration? TakerFor(InlineRegistration reserving) =>
        !reserving.IsRemoved ? reserving : Array.Find(_all, static other => !other.IsRemoved);

    /// <summary>Hands one message to one handler.</summary>
    public void CallOne(InlineRegistration registration, in MessageBatch message)
    {
        GroupCore core = owner.Core!;
        core.EnterUserCode(LoopPhase.MessageHandler);
        try
        {
            if (registration.RunHandler is { } runHandler) runHandler(message);
            else registration.Handler!(message[0]);
        }
        catch (Exception fault)
        {
            core.OnUserFault(owner, fault);
        }
        core.LeaveUserCode();
    }

    /// <summary>Hands messages over.</summary>
    public void Call(in MessageBatch run)
    {
        GroupCore core = owner.Core!;
        var calls = new InlineCalls(_all);
        while (calls.Message < run.Count)
        {
            int before = calls.Made;
            core.EnterUserCode(LoopPhase.MessageHandler);
            try
            {
                CallSome(run, ref calls);
            }
            catch (Exception fault)
            {
                core.OnUserFault(owner, fault);
            }
            core.LeaveUserCode(calls.Made - before);
        }
    }

    // Not inlined: what lives in a method that catches lives in memory.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CallSome(in MessageBatch run, ref InlineCalls calls)
    {
        if (calls.Handler == 0) calls.Handlers = _all;
        if (calls.Handler > 0 || calls.Handlers.Length != 1) CallAll(run, ref calls);
        else if (calls.Handlers[0].RunHandler is { } runHandler) CallOnly(runHandler, run, ref calls);
        else CallOnly(calls.Handlers[0].Handler!, run, ref calls);
    }

    private void CallAll(in MessageBatch run, ref InlineCalls calls)
    {
        int most = calls.Made + CallbackWatchdog.LongestRun;
        while (calls.Message < run.Count && calls.Made < most)
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
            if (registration.RunHandler is { } runHandler) runHandler(run.Part(calls.Message, 1));
            else registration.Handler!(run[calls.Message]);
        }
    }

    private void CallOnly(MessageHandler handler, in MessageBatch run, ref InlineCalls calls)
    {
        InlineRegistration[] handlers = calls.Handlers;
        int end = Math.Min(run.Count, calls.Message + CallbackWatchdog.LongestRun);
        for (int message = calls.Message; message < end && ReferenceEquals(handlers, _all); message++)
        {
            calls.Message = message + 1;
            if (handlers[0].IsRemoved) continue;
            calls.Made++;
            handler(run[message]);
        }
    }

    private static void CallOnly(MessageBatchHandler handler, in MessageBatch run, ref InlineCalls calls)
    {
        int first = calls.Message;
        calls.Message = run.Count;
        if (calls.Handlers[0].IsRemoved) return;
        calls.Made++;
        handler(run.Part(first, run.Count - first));
    }
}
