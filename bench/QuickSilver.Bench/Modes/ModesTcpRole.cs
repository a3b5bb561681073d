using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Tcp;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Modes;

/// <summary>
/// A member of the same groups without QuickSilver: one TCP connection to each other member carries the messages of all
/// groups that either sends to. A message is written to every connection in turn.
/// </summary>
internal static class ModesTcpRole
{
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(3);

    /// <summary>Connects to everybody, sends its part, and reports when nothing comes any more.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        ModeSink[] sinks = [.. order.Modes.Select(mode => new ModeSink(mode, order.Size))];
        using TcpMesh mesh = await TcpMesh.ConnectAsync(order.Number, order.Peers, order.TcpPort);
        // The first byte of a message is the index of its mode.
        mesh.Receive(order.Size + 1, message => sinks[message[0]].OnPayload(message[1..]));
        channel.TellReady();
        await channel.Go;

        var traffic = new ModesTraffic(order);
        byte[][] messages = [.. order.Modes.Select(_ => new byte[order.Size + 1])];
        await traffic.SendAsync((mode, _, payload) =>
        {
            messages[mode][0] = (byte)mode;
            payload.CopyTo(messages[mode], 1);
            mesh.Send(messages[mode]);
        });
        await Drain.AwaitAsync(() => sinks.Sum(static sink => sink.Delivered), Quiet);
        channel.TellResult(ModesRole.Report(order, traffic, sinks));
        await RoleChannel.StayAsync();
    }
}
