using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace QuickSilver.Hosting;

/// <summary>A group or publisher of a hosted node, whatever its handles are. Any thread.</summary>
internal abstract class HostedSender
{
    /// <summary>Name of the group.</summary>
    public abstract string Name { get; }

    /// <summary>What it is, in words: "group 'prices'".</summary>
    public abstract string What { get; }

    /// <summary>Why it has ended for good; null if it has not.</summary>
    public abstract Exception? EndReason { get; }

    /// <summary>The present handle; null while there is none.</summary>
    public abstract MessageSender? Sender { get; }

    /// <summary>Pause after a failed attempt to open a handle.</summary>
    public abstract TimeSpan Pause { get; }

    /// <summary>Whether another handle follows one that ended by itself.</summary>
    public abstract bool IsFollowed(QuickSilverException reason);

    /// <summary>Ends it for good: calls get the reason. The first reason stays.</summary>
    public abstract void End(Exception reason);

    /// <summary>Follows the handles, until the host stops; null before the first.</summary>
    public Task? Following { get; protected set; }

    /// <summary>Counts what happens; set before the first handle.</summary>
    protected HostingMeter? Meter { get; private set; }

    /// <summary>Logs it.</summary>
    protected ILogger Logger { get; private set; } = NullLogger.Instance;

    /// <summary>Gives it its meter and log.</summary>
    public void Connect(HostingMeter meter, ILogger log) => (Meter, Logger) = (meter, log);

    /// <summary>Opens first handles. A node that is evicted meanwhile returns, and opens them as it does
    /// later.</summary>
    /// <param name="node">The node.</param>
    /// <param name="senders">What gets the handles; at least one.</param>
    /// <param name="open">Opens them.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    public static async Task<TOpened> OpenFirstAsync<TOpened>(
        QuickSilverNode node, IReadOnlyList<HostedSender> senders, Func<CancellationToken, Task<TOpened>> open,
        CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                return await open(cancellationToken).ConfigureAwait(false);
            }
            catch (NodeEvictedException reason) when (!node.Completion.IsCompleted
                && senders.All(one => one.IsFollowed(reason)))
            {
                string names = string.Join(", ", senders.Select(static one => one.Name));
                Log.JoinRepeated(senders[0].Logger, names, senders[0].Pause, reason.Message);
                await Task.Delay(senders[0].Pause, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Runs event handlers of the application.</summary>
    protected void Guard(Action raise)
    {
        try
        {
            raise();
        }
        catch (Exception fault)
        {
            Log.EventHandlerFailed(Logger, Name, fault);
        }
    }
}
