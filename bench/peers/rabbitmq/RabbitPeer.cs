using QuickSilver.Bench.Roles;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace QuickSilver.Peers.RabbitMq;

/// <summary>
/// RabbitMQ as a fan-out exchange with a queue of its own for each receiver, by its .NET client. It is led like every
/// role of QuickSilver.Bench, whose sources, sinks and reports it uses.
/// </summary>
internal static class RabbitPeer
{
    /// <summary>The exchange.</summary>
    public const string Exchange = "quicksilver";

    private static readonly TimeSpan ConnectLimit = TimeSpan.FromSeconds(50);
    private static readonly TimeSpan ConnectPause = TimeSpan.FromMilliseconds(250);

    /// <summary>Whether the sender asks for confirmations.</summary>
    public static bool IsTuned => Environment.GetCommandLineArgs() is [.., "--tuned", "1"];

    /// <summary>Does what standard input orders.</summary>
    public static async Task<int> Main()
    {
        RoleChannel role = RoleChannel.Open();
        try
        {
            await (role.Order.Role == RoleKind.Sender ? RabbitSender.RunAsync(role) : RabbitReceiver.RunAsync(role));
            return 0;
        }
        catch (Exception failure)
        {
            role.TellFailure(failure.ToString());
            return 1;
        }
    }

    /// <summary>Connects as soon as the broker is up, and makes the exchange.</summary>
    public static async Task<IChannel> OpenAsync(RoleOrder order, CreateChannelOptions? options = null)
    {
        var factory = new ConnectionFactory {
            HostName = order.ServerAddress, Port = order.TcpPort, AutomaticRecoveryEnabled = false };
        DateTime limit = DateTime.UtcNow + ConnectLimit;
        while (true)
        {
            try
            {
                IConnection connection = await factory.CreateConnectionAsync();
                IChannel channel = await connection.CreateChannelAsync(options);
                await channel.ExchangeDeclareAsync(Exchange, ExchangeType.Fanout);
                return channel;
            }
            catch (BrokerUnreachableException) when (DateTime.UtcNow < limit)
            {
                await Task.Delay(ConnectPause);
            }
        }
    }
}
