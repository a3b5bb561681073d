using System.Text.Json;
using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Modes;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Tests.Agents;

/// <summary>What a coordinator orders arrives as it was ordered.</summary>
public sealed class AgentMessageTests
{
    [Fact]
    public void An_order_keeps_what_differs_from_its_defaults()
    {
        var order = new RoleOrder
        {
            Role = RoleKind.Sender,
            Name = "sender",
            Receivers = 0,
            SharesMemory = false,
            EchoEvery = 7,
            Transport = TransportKind.Unicast,
            Modes = [new ModeOrder(GroupMode.Lateral, 66, 10)],
            Peers = ["10.0.0.1"],
        };
        byte[] text = JsonSerializer.SerializeToUtf8Bytes(
            new AgentMessage(AgentMessageKind.Start, 3, order), AgentJson.Default.AgentMessage);
        AgentMessage? read = JsonSerializer.Deserialize(text, AgentJson.Default.AgentMessage);
        Assert.Equal(AgentMessageKind.Start, read!.Kind);
        Assert.Equal(3, read.Role);
        Assert.Equal(order.Modes, read.Order!.Modes);
        Assert.Equal(order.Peers, read.Order.Peers);
        Assert.Equal(order with { Modes = read.Order.Modes, Peers = read.Order.Peers }, read.Order);
    }
}
