using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>The handlers of one group that are called on pool threads, and what follows from their faults.</summary>
/// <param name="group">Name of the group.</param>
/// <param name="all">The handlers, in the order of their calls.</param>
/// <param name="policy">What follows from a fault.</param>
/// <param name="meter">Counts faults, and times the calls.</param>
/// <param name="log">Logs faults.</param>
internal sealed class HandlerCalls(
    string group, IReadOnlyList<HandlerCall> all, HandlerErrorPolicy policy, HostingMeter meter, ILogger log)
{
    /// <summary>What follows from a fault.</summary>
    public HandlerErrorPolicy Policy { get; } = policy;

    /// <summary>Whether there is no handler.</summary>
    public bool IsEmpty => all.Count == 0;

    /// <summary>Calls each handler with a message. Allocates nothing for a handler that is shared.</summary>
    /// <param name="message">The message.</param>
    /// <param name="call">Calls a handler.</param>
    /// <param name="stop">Ends the call.</param>
    /// <param name="activity">The activity of the calls, which is told of a fault; null without one.</param>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.HandlerFailed"/>: a handler threw, and the policy is
    /// not to go on.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask CallAsync<TMessage>(
        TMessage message,
        Func<object, TMessage, CancellationToken, ValueTask> call,
        CancellationToken stop,
        Activity? activity = null)
    {
        for (int index = 0; index < all.Count; index++)
        {
            HandlerCall handler = all[index];
            long begun = meter.TimesHandlers ? Stopwatch.GetTimestamp() : 0;
            try
            {
                ValueTask handled = handler.Shared is { } shared
                    ? call(shared, message, stop)
                    : handler.CallInScopeAsync(message, call, stop);
                await handled.ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested)
            {
                throw;
            }
            catch (Exception fault)
            {
                meter.OnHandlerFault();
                Tracing.Fail(activity, fault);
                Log.HandlerFailed(log, handler.Name, group, Policy, fault);
                if (Policy == HandlerErrorPolicy.Continue) continue;
                throw new QuickSilverException(
                    ErrorCode.HandlerFailed,
                    $"The handler {handler.Name} of group '{group}' threw: {fault.Message}",
                    fault);
            }
            if (begun != 0) meter.OnHandled(Stopwatch.GetElapsedTime(begun));
        }
    }
}
