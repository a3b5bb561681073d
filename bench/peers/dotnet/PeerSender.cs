using System.Net;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Peers.DotNet;

/// <summary>Publishes a run: at full speed within the window of its system, else as the rate says.</summary>
internal static class PeerSender
{
    /// <summary>Waits for the receivers and the word to go, publishes, reports.</summary>
    public static async Task RunAsync(RoleChannel role, IPubSub system)
    {
        RoleOrder order = role.Order;
        using var feedback = new Feedback(
            new IPEndPoint(IPAddress.Parse(order.FeedbackAddress), order.FeedbackPort), order.Receivers);
        byte[] buffer = new byte[order.Size];
        await feedback.AwaitAllAsync(() => system.PublishAsync(IPubSub.Probe, buffer));
        role.TellReady();
        await role.Go;

        var meter = new LoadMeter();
        var source = new TrafficSource(
            order.Groups, new RunClock(order.WarmUpSeconds, order.MeasuredSeconds), order.Rate, meter);
        while (source.TryNext(out MeasuredHeader header))
        {
            if (system.KeepsPayload) buffer = new byte[order.Size];
            header.Write(buffer);
            if (order.Rate == 0) feedback.WaitFor(source.Sent - system.Window);
            await system.PublishAsync(header.Group, buffer);
        }
        meter.End();
        role.TellResult(SenderReport.Of(order, source, meter));
        await RoleChannel.StayAsync();
    }
}
