using System.Net;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

/// <summary>Which interface a node takes that is told of none, and that no server is reached by.</summary>
public sealed class NetworkChoiceTests
{
    [Theory]
    [InlineData("lo", true, null)]
    [InlineData("lo wg0", true, "wg0")]
    [InlineData("lo wg0 wg1+gateway", true, "wg1")]
    [InlineData("lo wg0+gateway eth0+multicast", true, "eth0")]
    [InlineData("lo eth0+multicast eth1+multicast", true, "eth0")]
    [InlineData("lo wg0+gateway eth0+multicast eth1+multicast+gateway", true, "eth1")]
    [InlineData("lo eth0+multicast wg0+gateway", false, "wg0")]
    [InlineData("lo wg0 eth0+multicast", false, "wg0")]
    public void The_best_interface_is_taken(string interfaces, bool prefersMulticast, string? expected)
    {
        List<NetworkList.Entry> all = [.. interfaces.Split(' ').Select(static text => ToEntry(text))];
        Assert.Equal(expected, NetworkChoice.FindBest(all, prefersMulticast)?.Name);
    }

    private static NetworkList.Entry ToEntry(string text)
    {
        string[] parts = text.Split('+');
        var choice = new NetworkChoice(parts[0], IPAddress.Loopback, 1_500, IsLoopback: parts[0] == "lo")
        {
            HasMulticast = parts[0] == "lo" || parts.Contains("multicast"),
        };
        return new NetworkList.Entry(choice, HasGateway: parts.Contains("gateway"));
    }
}
