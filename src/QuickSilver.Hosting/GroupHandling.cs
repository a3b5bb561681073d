using Microsoft.Extensions.Logging;

namespace QuickSilver.Hosting;

/// <summary>Calls the handlers of one group of a hosted node, until the host stops.</summary>
/// <param name="group">The group.</param>
/// <param name="calls">The handlers on pool threads.</param>
/// <param name="log">Logs what happens.</param>
/// <param name="failNode">Ends the node, as <see cref="HandlerErrorPolicy.StopNode"/> requires.</param>
internal sealed class GroupHandling(
    HostedGroup group, HandlerCalls calls, ILogger log, Action<QuickSilverException> failNode)
{
    /// <summary>Begins to read the present handle, if there are handlers. What it stores is then handled, though the
    /// group be left before <see cref="HandleAsync"/> comes to it.</summary>
    /// <param name="stop">That of <see cref="HandleAsync"/>.</param>
    public void BeginReading(CancellationToken stop)
    {
        if (calls.IsEmpty || group.Turns.Last is not { } turn) return;
        try
        {
            turn.Read(handle => group.Read(handle, stop));
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
            HandleTurn<Group> turn = await group.Turns.First.WaitAsync(stop).ConfigureAwait(false);
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
        catch (Exception fault) when (ReferenceEquals(fault, group.EndReason))
        {
            // The follower has told of it.
        }
        catch (Exception fault)
        {
            Log.ReadingFailed(log, group.Name, fault);
            group.HandlersEnded = fault;
        }
    }

    // Handles what one handle stores, to its end. Returns the fault of a class, if the policy is not to go on.
    private async Task<QuickSilverException?> HandleTurnAsync(HandleTurn<Group> turn, CancellationToken stop)
    {
        try
        {
            await turn.Read(handle => group.Read(handle, stop)).HandleAllAsync(calls, stop).ConfigureAwait(false);
        }
        catch (QuickSilverException fault) when (
            fault.Code == ErrorCode.HandlerFailed
            && !ReferenceEquals(fault, turn.Completion.Exception?.InnerException))
        {
            return fault;
        }
        catch (QuickSilverException) when (turn.Completion.IsFaulted)
        {
            // What was stored has been handled.
        }
        catch (ObjectDisposedException)
        {
            // The application left the handle before the reading began.
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
        Log.GroupEnded(log, group.Name, fault.Message);
        group.End(fault);
        if (group.Sender is { } handle) await handle.DisposeAsync().ConfigureAwait(false);
    }
}
