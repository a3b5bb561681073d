using System.Net;
using QuickSilver.Bench.Tcp;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Roles;

/// <summary>Sender and receiver of the TCP fan-out.</summary>
internal static class TcpRoles
{
    /// <summary>Listens, sends a run.</summary>
    public static async Task SendAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        using TcpFanOut sender = order.Tcp == TcpStyle.Pipelines
            ? new PipelinesFanOut(Sender(order), order.IsTls) : new BlockingFanOut(Sender(order), order.IsTls);
        await sender.AcceptAsync(order.Receivers);
        channel.TellReady();
        await channel.Go;

        var meter = new LoadMeter();
        var source = new TrafficSource(1, new RunClock(order.WarmUpSeconds, order.MeasuredSeconds), order.Rate, meter);
        await sender.RunAsync(source, order.Size);
        meter.End();
        channel.TellResult(SenderReport.Of(order, source, meter));
        await RoleChannel.StayAsync();
    }

    /// <summary>Connects, receives a run: until the connection ends.</summary>
    public static async Task ReceiveAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        var meter = new LoadMeter();
        var sink = new TrafficSink(1, order.Size, meter) { RecordsAll = order.Rate > 0 };
        using TcpConnection connection = await TcpConnection.ConnectAsync(Sender(order), order.IsTls);
        var receiver = new TcpReceiver(connection.Stream, order.Size, sink);
        channel.TellReady();

        if (order.Tcp == TcpStyle.Pipelines)
        {
            await receiver.RunPipelinesAsync();
        }
        else
        {
            var thread = new Thread(receiver.RunBlocking) { Name = "receiver" };
            thread.Start();
            thread.Join();
        }
        channel.TellResult(ReceiverReport.Of(order, sink, meter, await channel.Total));
        await RoleChannel.StayAsync();
    }

    private static IPEndPoint Sender(RoleOrder order) => new(IPAddress.Parse(order.ServerAddress), order.TcpPort);
}
