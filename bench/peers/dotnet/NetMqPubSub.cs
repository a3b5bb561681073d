using System.Buffers.Binary;
using NetMQ;
using NetMQ.Sockets;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Peers.DotNet;

/// <summary>NetMQ publish and subscribe over TCP, no broker; a topic of four bytes for each group, since topics are
/// prefixes. Tuned: queues of 100,000 instead of 1,000 messages; what does not fit is dropped in both.</summary>
internal sealed class NetMqPubSub(bool isTuned) : IPubSub
{
    private const int TunedQueue = 100_000;

    private NetMQSocket _socket = null!;
    private byte[][] _topics = [];

    /// <inheritdoc/>
    public int Window => isTuned ? 8192 : 250;

    /// <inheritdoc/>
    public bool KeepsPayload => false;

    /// <inheritdoc/>
    public Task OpenAsync(RoleOrder order)
    {
        _topics = [.. Enumerable.Range(0, order.Groups).Select(TopicOf)];
        string at = $"tcp://{order.ServerAddress}:{order.TcpPort}";
        if (order.Role == RoleKind.Sender)
        {
            var publisher = new PublisherSocket();
            if (isTuned) publisher.Options.SendHighWatermark = TunedQueue;
            // Subscriptions come this way; what does not fit would be lost.
            publisher.Options.ReceiveHighWatermark = 0;
            publisher.Bind(at);
            _socket = publisher;
        }
        else
        {
            var subscriber = new SubscriberSocket();
            if (isTuned) subscriber.Options.ReceiveHighWatermark = TunedQueue;
            subscriber.Options.SendHighWatermark = 0;
            subscriber.Connect(at);
            _socket = subscriber;
        }
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task SubscribeAsync(RoleOrder order, Action<ReadOnlySpan<byte>> onMessage)
    {
        var subscriber = (SubscriberSocket)_socket;
        foreach (byte[] topic in _topics) subscriber.Subscribe(topic);
        subscriber.Subscribe(TopicOf(IPubSub.Probe));
        new Thread(() =>
        {
            var message = default(Msg);
            message.InitEmpty();
            while (true)
            {
                subscriber.Receive(ref message);
                if (!message.HasMore) continue;
                subscriber.Receive(ref message);
                onMessage(message.Slice());
            }
        })
        { IsBackground = true, Name = "subscriber" }.Start();
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public ValueTask PublishAsync(int group, byte[] payload)
    {
        _socket.SendMoreFrame(group < 0 ? TopicOf(group) : _topics[group]).SendFrame(payload);
        return default;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _socket.Dispose();
        return default;
    }

    private static byte[] TopicOf(int group)
    {
        byte[] topic = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(topic, group);
        return topic;
    }
}
