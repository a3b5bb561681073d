using System.Threading.Channels;

namespace QuickSilver.WideArea.Presence;

/// <summary>Tells the gateways that stand by what the loop of the active one has noted.</summary>
internal sealed class ProgressTeller(GatewayPresence presence)
{
    private const int MostWaiting = 1024;

    // What is left out leads to copies at a gateway that takes over, which other sites drop.
    private readonly Channel<GatewayProgress> _waiting = Channel.CreateBounded<GatewayProgress>(
        new BoundedChannelOptions(MostWaiting) { FullMode = BoundedChannelFullMode.DropOldest, SingleReader = true });

    /// <summary>Rises when all is to be told, whether it has changed or not. Any thread.</summary>
    public int Listeners => presence.Joins;

    /// <summary>Tells something soon. Any thread.</summary>
    public void Tell(GatewayProgress progress) => _waiting.Writer.TryWrite(progress);

    /// <summary>Nothing more is told.</summary>
    public void Complete() => _waiting.Writer.TryComplete();

    /// <summary>Tells until it is cancelled, or until all is told after <see cref="Complete"/>.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            await foreach (GatewayProgress next in _waiting.Reader.ReadAllAsync(cancellationToken)
                .ConfigureAwait(false))
            {
                await presence.TellAsync(next, cancellationToken).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }
}
