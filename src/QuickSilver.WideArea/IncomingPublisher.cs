using System.Text;

namespace QuickSilver.WideArea;

/// <summary>Publishes in one group what other sites send, for one life of a gateway. Its task runs on pool threads.
/// </summary>
internal sealed class IncomingPublisher(
    SpanningGroup group, GroupWorker member, GatewayParts parts, GatewayLoop loop)
{
    private static readonly TimeSpan RetryPause = TimeSpan.FromMilliseconds(50);

    /// <summary>Publishes until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                IncomingBatch batch = await group.Incoming.Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
                string site = parts.Plan.Map.NameOf(batch.Stream.Site);
                foreach (IncomingMessage message in batch.Messages)
                    await PublishAsync(site, message, cancellationToken).ConfigureAwait(false);
                loop.OnTaken(batch.Stream, batch.Number);
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }

    private async ValueTask PublishAsync(string site, IncomingMessage message, CancellationToken cancellationToken)
    {
        byte[] payload = parts.Options.NamesOrigins ? SiteMessage.Write(site, message) : message.Payload;
        while (true)
        {
            try
            {
                if (member.Joined is { } joined)
                {
                    await joined.SendAsync(payload.AsMemory(), cancellationToken).ConfigureAwait(false);
                    parts.Figures.OnPublished();
                    return;
                }
            }
            catch (PayloadTooLargeException refusal)
            {
                parts.Figures.OnRefused();
                string why = $"{Encoding.UTF8.GetString(message.Sender.Name)} sent it. {refusal.Message}";
                parts.Log.Post(logger => Log.MessageRefused(logger, site, group.Name, parts.Options.Site, why));
                return;
            }
            catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
            {
                // The handle has ended, or nobody serves the membership: the reader joins again, or a server comes.
            }
            await Task.Delay(RetryPause, cancellationToken).ConfigureAwait(false);
        }
    }
}
