using System.Diagnostics;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace QuickSilver.Peers.RabbitMq;

/// <summary>Consumes from a queue of its own, acknowledged as it is delivered.</summary>
internal static class RabbitReceiver
{
    private static readonly TimeSpan LastMessages = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(20);

    /// <summary>Connects, receives until all has come or some seconds after the sender has finished, reports.</summary>
    public static async Task RunAsync(RoleChannel role)
    {
        RoleOrder order = role.Order;
        var meter = new LoadMeter();
        var sink = new TrafficSink(1, order.Size, meter) { RecordsAll = order.Rate > 0 };
        IChannel channel = await RabbitPeer.OpenAsync(order);
        string queue = (await channel.QueueDeclareAsync()).QueueName;
        await channel.QueueBindAsync(queue, RabbitPeer.Exchange, "");
        var consumer = new AsyncEventingBasicConsumer(channel);
        consumer.ReceivedAsync += (_, delivery) =>
        {
            sink.Receive(delivery.Body.Span);
            return Task.CompletedTask;
        };
        await channel.BasicConsumeAsync(queue, autoAck: true, consumer);
        role.TellReady();

        long total = await role.Total;
        long since = Stopwatch.GetTimestamp();
        while (sink.Delivered < total && Stopwatch.GetElapsedTime(since) < LastMessages) await Task.Delay(Period);
        role.TellResult(ReceiverReport.Of(order, sink, meter, total));
        await RoleChannel.StayAsync();
    }
}
