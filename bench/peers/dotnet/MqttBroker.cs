using System.Globalization;
using System.Net;
using MQTTnet.Server;

namespace QuickSilver.Peers.DotNet;

/// <summary>MQTTnet's server as a process.</summary>
internal static class MqttBroker
{
    private const int TunedPending = 100_000;

    /// <summary>Serves until it is killed, or its standard input ends.</summary>
    public static async Task<int> RunAsync(string address, string port, bool isTuned)
    {
        MqttServerOptionsBuilder options = new MqttServerOptionsBuilder()
            .WithDefaultEndpoint()
            .WithDefaultEndpointBoundIPAddress(IPAddress.Parse(address))
            .WithDefaultEndpointPort(int.Parse(port, CultureInfo.InvariantCulture));
        if (isTuned) options.WithMaxPendingMessagesPerClient(TunedPending);
        using MqttServer server = new MqttServerFactory().CreateMqttServer(options.Build());
        await server.StartAsync();
        await Task.Run(Console.In.ReadToEnd);
        return 0;
    }
}
