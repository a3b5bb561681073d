using QuickSilver.Bench.Roles;
using StackExchange.Redis;

namespace QuickSilver.Peers.DotNet;

/// <summary>Redis by StackExchange.Redis, a channel for each group, published without waiting for the answer.</summary>
internal sealed class RedisPubSub : IPubSub
{
    private ConnectionMultiplexer _connection = null!;
    private ISubscriber _subscriber = null!;
    private RedisChannel[] _channels = [];

    /// <inheritdoc/>
    public int Window => 8192;

    /// <inheritdoc/>
    public bool KeepsPayload => true;

    /// <inheritdoc/>
    public async Task OpenAsync(RoleOrder order)
    {
        var options = new ConfigurationOptions { AbortOnConnectFail = false, ConnectRetry = 100 };
        options.EndPoints.Add(order.ServerAddress, order.TcpPort);
        _connection = await ConnectionMultiplexer.ConnectAsync(options);
        while (!_connection.IsConnected) await Task.Delay(50);
        _subscriber = _connection.GetSubscriber();
        _channels = [.. Enumerable.Range(0, order.Groups).Select(ChannelOf)];
    }

    /// <inheritdoc/>
    public async Task SubscribeAsync(RoleOrder order, Action<ReadOnlySpan<byte>> onMessage)
    {
        foreach (RedisChannel channel in (RedisChannel[])[.. _channels, ChannelOf(IPubSub.Probe)])
        {
            // A queue keeps the order of its channel.
            ChannelMessageQueue queue = await _subscriber.SubscribeAsync(channel);
            queue.OnMessage(message => onMessage(((ReadOnlyMemory<byte>)message.Message).Span));
        }
    }

    /// <inheritdoc/>
    public ValueTask PublishAsync(int group, byte[] payload)
    {
        RedisChannel channel = group < 0 ? ChannelOf(group) : _channels[group];
        return new ValueTask(_subscriber.PublishAsync(channel, payload, CommandFlags.FireAndForget));
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private static RedisChannel ChannelOf(int group) => RedisChannel.Literal(IPubSub.TopicOf(group));
}
