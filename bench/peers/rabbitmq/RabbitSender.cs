using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;
using RabbitMQ.Client;

namespace QuickSilver.Peers.RabbitMq;

/// <summary>Publishes a run. Tuned: with publisher confirmations, of which many may be outstanding; without, as is its
/// default.</summary>
internal static class RabbitSender
{
    private const int MostOutstanding = 2048;

    /// <summary>Connects, publishes, reports.</summary>
    public static async Task RunAsync(RoleChannel role)
    {
        RoleOrder order = role.Order;
        // The client's own tracking awaits each confirmation within the publication; here they are let run ahead.
        var options = new CreateChannelOptions(
            RabbitPeer.IsTuned, RabbitPeer.IsTuned, outstandingPublisherConfirmationsRateLimiter: null);
        IChannel channel = await RabbitPeer.OpenAsync(order, options);
        role.TellReady();
        await role.Go;

        var meter = new LoadMeter();
        var source = new TrafficSource(1, new RunClock(order.WarmUpSeconds, order.MeasuredSeconds), order.Rate, meter);
        byte[] buffer = new byte[order.Size];
        var outstanding = new Queue<Task>();
        while (source.TryNext(out MeasuredHeader header))
        {
            header.Write(buffer);
            // It copies the body before it first awaits.
            Task published = channel.BasicPublishAsync(RabbitPeer.Exchange, "", buffer).AsTask();
            if (!RabbitPeer.IsTuned)
            {
                await published;
                continue;
            }
            outstanding.Enqueue(published);
            if (outstanding.Count >= MostOutstanding) await outstanding.Dequeue();
        }
        await Task.WhenAll(outstanding);
        meter.End();
        role.TellResult(SenderReport.Of(order, source, meter));
        await RoleChannel.StayAsync();
    }
}
