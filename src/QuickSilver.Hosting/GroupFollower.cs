using System.Diagnostics;
using Microsoft.Extensions.Logging;

namespace QuickSilver.Hosting;

/// <summary>Keeps one group of a hosted node joined, and its handlers called, until the host stops.</summary>
/// <param name="group">The group.</param>
/// <param name="options">The settings of its handles.</param>
/// <param name="calls">The handlers on pool threads.</param>
/// <param name="meter">Counts what happens.</param>
/// <param name="log">Logs it.</param>
/// <param name="failNode">Ends the node, as <see cref="HandlerErrorPolicy.StopNode"/> requires.</param>
internal sealed class GroupFollower(
    HostedGroup group, GroupOptions options, HandlerCalls calls, HostingMeter meter, ILogger log,
    Action<QuickSilverException> failNode)
{
    /// <summary>The group.</summary>
    public HostedGroup Group { get; } = group;

    /// <summary>The settings of its handles.</summary>
    public GroupOptions Options { get; } = options;

    /// <summary>Follows the handles of the group, from its first one to its end.</summary>
    /// <param name="node">The node.</param>
    /// <param name="first">The first handle.</param>
    /// <param name="stop">The host stops.</param>
    public async Task FollowAsync(QuickSilverNode node, Group first, CancellationToken stop)
    {
        Group handle = first;
        Group.Begin(handle);
        while (true)
        {
            await handle.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            long ended = Stopwatch.GetTimestamp();
            if (handle.Completion.Exception?.InnerException is not QuickSilverException reason)
            {
                Group.End(new ObjectDisposedException(Group.Name, $"The group '{Group.Name}' has been left."));
                return;
            }
            if (stop.IsCancellationRequested || node.Completion.IsCompleted || !IsRejoined(reason))
            {
                if (!stop.IsCancellationRequested) Log.GroupEnded(log, Group.Name, reason.Message);
                Group.End(reason);
                return;
            }
            Log.Rejoining(log, Group.Name, reason.Message);
            if (await JoinAgainAsync(node, stop).ConfigureAwait(false) is not { } joined)
            {
                Group.End(reason);
                return;
            }
            handle = joined;
            if (!Group.TryPass(handle))
            {
                // A handler has failed meanwhile, and its policy is to leave.
                await handle.DisposeAsync().ConfigureAwait(false);
                return;
            }
            meter.OnRejoin(reason);
            TimeSpan away = Stopwatch.GetElapsedTime(ended);
            Log.Rejoined(log, Group.Name, away, handle.View.MemberCount);
            Group.Raise(new GroupRejoined(Group.Name, reason, handle, away));
        }
    }

    /// <summary>Begins to read the present handle, if there are handlers. What it stores is then handled, though the
    /// group be left before <see cref="HandleAsync"/> comes to it.</summary>
    /// <param name="stop">That of <see cref="HandleAsync"/>.</param>
    public void BeginReading(CancellationToken stop)
    {
        if (calls.IsEmpty || Group.Turn is not { } turn) return;
        try
        {
            turn.Read(Group, stop);
        }
        catch (Exception fault) when (fault is ObjectDisposedException or QuickSilverException)
        {
            // The application has left it.
        }
    }

    /// <summary>Calls the handlers with the messages of one handle after another, to the end of the group.</summary>
    /// <param name="stop">The time of the host's shutdown is up.</param>
    public async Task HandleAsync(CancellationToken stop)
    {
        if (calls.IsEmpty) return;
        try
        {
            HandleTurn turn = await Group.First.WaitAsync(stop).ConfigureAwait(false);
            while (true)
            {
                if (await HandleTurnAsync(turn, stop).ConfigureAwait(false) is { } fault)
                {
                    await AbandonAsync(fault).ConfigureAwait(false);
                    return;
                }
                // However the reading has ended: what follows is for the one to say who follows the handles.
                turn = await turn.Next.WaitAsync(stop).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // What is stored is given up.
        }
        catch (Exception fault) when (ReferenceEquals(fault, Group.EndReason))
        {
            // The follower has told of it.
        }
        catch (Exception fault)
        {
            Log.ReadingFailed(log, Group.Name, fault);
            Group.HandlersEnded = fault;
        }
    }

    // Handles what one handle stores, to its end. Returns the fault of a class, if the policy is not to go on.
    private async Task<QuickSilverException?> HandleTurnAsync(HandleTurn turn, CancellationToken stop)
    {
        try
        {
            await turn.Read(Group, stop).HandleAllAsync(calls, stop).ConfigureAwait(false);
        }
        catch (QuickSilverException fault) when (
            fault.Code == ErrorCode.HandlerFailed
            && !ReferenceEquals(fault, turn.Handle.Completion.Exception?.InnerException))
        {
            return fault;
        }
        catch (QuickSilverException) when (turn.Handle.Completion.IsFaulted)
        {
            // What was stored has been handled.
        }
        catch (ObjectDisposedException)
        {
            // The application left the handle before the reading began.
        }
        return null;
    }

    private bool IsRejoined(QuickSilverException reason) => reason switch
    {
        NodeEvictedException => Group.Registration.Options.RejoinAfterEviction,
        SlowConsumerException => Group.Registration.Options.RejoinAfterSlowReader,
        _ => false,
    };

    // Null if the host stops or the node has ended.
    private async Task<Group?> JoinAgainAsync(QuickSilverNode node, CancellationToken stop)
    {
        TimeSpan pause = Group.Registration.Options.RejoinPause;
        while (!node.Completion.IsCompleted)
        {
            try
            {
                try
                {
                    return await node.JoinAsync(Group.Name, Options, stop).ConfigureAwait(false);
                }
                catch (QuickSilverException fault) when (!node.Completion.IsCompleted)
                {
                    Log.RejoinFailed(log, Group.Name, pause, fault.Message);
                    await Task.Delay(pause, stop).ConfigureAwait(false);
                }
            }
            catch (Exception fault) when (
                fault is OperationCanceledException or ObjectDisposedException or QuickSilverException)
            {
                return null;
            }
        }
        return null;
    }

    private async Task AbandonAsync(QuickSilverException fault)
    {
        if (calls.Policy == HandlerErrorPolicy.StopNode)
        {
            failNode(fault);
            return;
        }
        Log.GroupEnded(log, Group.Name, fault.Message);
        Group.End(fault);
        if (Group.Current is { } handle) await handle.DisposeAsync().ConfigureAwait(false);
    }
}
