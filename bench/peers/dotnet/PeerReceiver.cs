using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Peers.DotNet;

/// <summary>Receives a run, and tells the sender how far it is, eight times in a window.</summary>
internal static class PeerReceiver
{
    private const int TellsInWindow = 8;
    private static readonly TimeSpan LastMessages = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(20);

    /// <summary>Subscribes, receives until all has come or some seconds after the sender has finished,
    /// reports.</summary>
    public static async Task RunAsync(RoleChannel role, IPubSub system)
    {
        RoleOrder order = role.Order;
        var meter = new LoadMeter();
        var sink = new TrafficSink(order.Groups, order.Size, meter) { RecordsAll = order.Rate > 0 };
        var gate = new Lock();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        var sender = new IPEndPoint(IPAddress.Parse(order.FeedbackAddress), order.FeedbackPort);
        int every = Math.Max(1, system.Window / TellsInWindow);
        await system.SubscribeAsync(order, OnMessage);
        role.TellReady();

        long total = await role.Total;
        long since = Stopwatch.GetTimestamp();
        while (sink.Delivered < total && Stopwatch.GetElapsedTime(since) < LastMessages) await Task.Delay(Period);
        role.TellResult(ReceiverReport.Of(order, sink, meter, total));
        await RoleChannel.StayAsync();

        void OnMessage(ReadOnlySpan<byte> payload)
        {
            lock (gate)
            {
                // A probe has an empty head, and no message has the index 0.
                if (MeasuredHeader.Read(payload).Index > 0)
                {
                    sink.Receive(payload);
                    if (sink.Delivered % every != 0) return;
                }
                Feedback.Tell(socket, sender, order.Number, sink.Delivered);
            }
        }
    }
}
