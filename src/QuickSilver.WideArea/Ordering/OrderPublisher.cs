using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Ordering;

/// <summary>Puts records of other sites into the ring, for one life of a gateway. A record is held once all members of
/// the ring hold it. What comes twice the replicas drop. Its task runs on pool threads.</summary>
/// <param name="group">The stream of the order.</param>
/// <param name="member">The gateway's member of the ring.</param>
/// <param name="onTaken">Called with each batch that is held.</param>
internal sealed class OrderPublisher(SpanningGroup group, OrderMember member, Action<IncomingBatch> onTaken)
{
    private const int MostAtOnce = 256;

    private static readonly TimeSpan RetryPause = TimeSpan.FromMilliseconds(50);

    private readonly List<IncomingBatch> _batches = [];

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
                while (!await TryPublishAsync(cancellationToken).ConfigureAwait(false))
                    await Task.Delay(RetryPause, cancellationToken).ConfigureAwait(false);
                foreach (IncomingBatch batch in _batches) onTaken(batch);
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }

    // False after an eviction, or while the ring is not joined: members may have them or not.
    private async Task<bool> TryPublishAsync(CancellationToken cancellationToken)
    {
        // Before the state is there, nobody could run what comes.
        bool isReady = member.Look(static replica => replica?.Merge is not null);
        if (!isReady || member.Joined is not { } joined) return false;
        try
        {
            bool hasSent = false;
            foreach (IncomingBatch batch in _batches)
            {
                foreach (IncomingMessage message in batch.Messages)
                {
                    byte[] body = RingBody.Record(
                        batch.Stream.Site, message.Sender.Id, message.Sender.Name, message.Sequence, message.Payload);
                    await joined.SendAsync(body.AsMemory(), cancellationToken).ConfigureAwait(false);
                    hasSent = true;
                }
            }
            if (hasSent) await joined.FlushAsync(cancellationToken).ConfigureAwait(false);
            return true;
        }
        catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
        {
            return false;
        }
    }
}
