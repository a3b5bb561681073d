using System.Diagnostics;
using System.Net;
using QuickSilver.Bench.Raw;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Roles;

/// <summary>Sender and receiver of the raw multicast loops.</summary>
internal static class RawRoles
{
    private static readonly TimeSpan Silence = TimeSpan.FromMilliseconds(300);

    /// <summary>Sends a run.</summary>
    public static async Task SendAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        using var sender = new RawSender(Group(order), Feedback(order), order.Receivers, Shape(order));
        channel.TellReady();
        await channel.Go;

        var meter = new LoadMeter();
        var source = new TrafficSource(1, new RunClock(order.WarmUpSeconds, order.MeasuredSeconds), order.Rate, meter);
        var thread = new Thread(() => sender.Run(source, hasWindow: order.Rate == 0)) { Name = "sender" };
        thread.Start();
        thread.Join();
        meter.End();
        channel.TellResult(SenderReport.Of(order, source, meter) with { Stalls = sender.Stalls });
        await RoleChannel.StayAsync();
    }

    /// <summary>Receives a run: until all has come, or nothing more comes after the sender has finished.</summary>
    public static async Task ReceiveAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        var meter = new LoadMeter();
        var sink = new TrafficSink(1, order.Size, meter) { RecordsAll = order.Rate > 0 };
        using var receiver = new RawReceiver(
            Group(order), IPAddress.Parse(order.Address), Feedback(order), order.Number, Shape(order), sink);
        channel.TellReady();

        long seen = 0;
        long since = Stopwatch.GetTimestamp();
        var thread = new Thread(() => receiver.Run(IsOver)) { Name = "receiver" };
        thread.Start();
        thread.Join();
        channel.TellResult(ReceiverReport.Of(order, sink, meter, await channel.Total));
        await RoleChannel.StayAsync();

        bool IsOver()
        {
            if (!channel.Total.IsCompleted) return false;
            if (sink.Delivered >= channel.Total.Result) return true;
            if (sink.Delivered != seen)
            {
                seen = sink.Delivered;
                since = Stopwatch.GetTimestamp();
            }
            return Stopwatch.GetElapsedTime(since) > Silence;
        }
    }

    private static RawShape Shape(RoleOrder order) => new(order.Size, order.Packed, order.TrainLength);

    private static IPEndPoint Feedback(RoleOrder order) =>
        new(IPAddress.Parse(order.ServerAddress), order.FeedbackPort);

    private static IPEndPoint Group(RoleOrder order) => new(IPAddress.Parse(order.RawGroup), order.RawPort);
}
