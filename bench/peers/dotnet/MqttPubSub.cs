using System.Buffers;
using MQTTnet;
using MQTTnet.Exceptions;
using MQTTnet.Protocol;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Peers.DotNet;

/// <summary>MQTT by MQTTnet, client and server, at most once; a topic for each group. Tuned: the server keeps 100,000
/// messages for a client instead of 250, beyond which it drops.</summary>
internal sealed class MqttPubSub(bool isTuned) : IPubSub
{
    private const int TopicsInRequest = 100;
    private static readonly TimeSpan ConnectPause = TimeSpan.FromMilliseconds(250);

    private readonly IMqttClient _client = new MqttClientFactory().CreateMqttClient();
    private string[] _topics = [];

    /// <inheritdoc/>
    public int Window => isTuned ? 8192 : 100;

    /// <inheritdoc/>
    public bool KeepsPayload => false;

    /// <inheritdoc/>
    public async Task OpenAsync(RoleOrder order)
    {
        _topics = [.. Enumerable.Range(0, order.Groups).Select(IPubSub.TopicOf)];
        MqttClientOptions options = new MqttClientOptionsBuilder()
            .WithTcpServer(order.ServerAddress, order.TcpPort).WithClientId(order.Name).Build();
        while (true)
        {
            try
            {
                await _client.ConnectAsync(options);
                return;
            }
            catch (MqttCommunicationException)
            {
                await Task.Delay(ConnectPause);
            }
        }
    }

    /// <inheritdoc/>
    public async Task SubscribeAsync(RoleOrder order, Action<ReadOnlySpan<byte>> onMessage)
    {
        _client.ApplicationMessageReceivedAsync += received =>
        {
            ReadOnlySequence<byte> payload = received.ApplicationMessage.Payload;
            onMessage(payload.IsSingleSegment ? payload.FirstSpan : payload.ToArray());
            return Task.CompletedTask;
        };
        foreach (string[] some in _topics.Append(IPubSub.TopicOf(IPubSub.Probe)).Chunk(TopicsInRequest))
        {
            var request = new MqttClientSubscribeOptionsBuilder();
            foreach (string topic in some) request.WithTopicFilter(topic);
            await _client.SubscribeAsync(request.Build());
        }
    }

    /// <inheritdoc/>
    public async ValueTask PublishAsync(int group, byte[] payload)
    {
        var message = new MqttApplicationMessage
        {
            Topic = group < 0 ? IPubSub.TopicOf(group) : _topics[group],
            Payload = new ReadOnlySequence<byte>(payload),
            QualityOfServiceLevel = MqttQualityOfServiceLevel.AtMostOnce,
        };
        await _client.PublishAsync(message);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _client.Dispose();
        return default;
    }
}
