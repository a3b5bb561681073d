using System.Text;
using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Running;

/// <summary>
/// Publishes in one group what other sites send, for one life of a gateway. With
/// <see cref="SiteGatewayOptions.Standby"/>, or where a site asks for it, a record is held once all members here hold
/// its messages. So such a gateway has acknowledged nothing that only it had. Its task runs on pool threads.
/// </summary>
internal sealed class IncomingPublisher(
    SpanningGroup group, GroupWorker member, GatewayParts parts, GatewayLoop loop)
{
    private const int MostAtOnce = 256;

    private static readonly TimeSpan RetryPause = TimeSpan.FromMilliseconds(50);

    private readonly List<IncomingBatch> _batches = [];
    private Group? _last;

    /// <summary>Publishes until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                _batches.Clear();
                _batches.Add(await group.Incoming.Reader.ReadAsync(cancellationToken).ConfigureAwait(false));
                while (_batches.Count < MostAtOnce && group.Incoming.Reader.TryRead(out IncomingBatch next))
                    _batches.Add(next);
                do await PublishAllAsync(cancellationToken).ConfigureAwait(false);
                while (_batches.Count > 0 && !await AreHeldAsync(cancellationToken).ConfigureAwait(false));
                foreach (IncomingBatch batch in _batches) loop.OnTaken(batch);
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }

    // Leaves the batches that are held only once all members hold them.
    private async ValueTask PublishAllAsync(CancellationToken cancellationToken)
    {
        int taken = 0;
        foreach (IncomingBatch batch in _batches)
        {
            string site = parts.Plan.Map.NameOf(batch.Stream.Site);
            foreach (IncomingMessage message in batch.Messages)
                await PublishAsync(site, message, cancellationToken).ConfigureAwait(false);
            // Asked after it was sent: what is acknowledged without is flushed before the promise is told.
            if (group.Promise.IsAsked) continue;
            group.Promise.OnAcknowledged(_last);
            loop.OnTaken(batch);
            taken++;
        }
        // Once it is asked for, it is for all that follow.
        _batches.RemoveRange(0, taken);
    }

    // False after an eviction: members may hold them or not, so they are published again.
    private async ValueTask<bool> AreHeldAsync(CancellationToken cancellationToken)
    {
        if (_batches.TrueForAll(static batch => batch.Messages.Count == 0)) return true;
        Group? joined = _last;
        while (true)
        {
            try
            {
                if (joined is not null) await joined.FlushAsync(cancellationToken).ConfigureAwait(false);
                return joined == _last;
            }
            catch (SendHeldUpException)
            {
                // Nobody serves the membership: a server comes.
            }
            catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
            {
                return false;
            }
            await Task.Delay(RetryPause, cancellationToken).ConfigureAwait(false);
        }
    }

    private async ValueTask PublishAsync(string site, IncomingMessage message, CancellationToken cancellationToken)
    {
        byte[] payload = parts.Options.NamesOrigins ? SiteMessage.Write(site, message) : message.Payload;
        while (true)
        {
            try
            {
                if (parts.Presence.IsActive && member.Joined is { } joined)
                {
                    _last = joined;
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
