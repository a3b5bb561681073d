using NATS.Client.Core;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Peers.DotNet;

/// <summary>NATS by NATS.Net, a subject for each group. Tuned: room for more messages in each subscription, and a full
/// one holds the connection up instead of dropping. With TLS the server shows a certificate of the run, which nobody
/// checks.</summary>
internal sealed class NatsPubSub(bool isTuned, bool isTls = false) : IPubSub
{
    private const int TunedCapacity = 65_536;
    private static readonly TimeSpan ConnectPause = TimeSpan.FromMilliseconds(250);

    private NatsConnection _connection = null!;
    private string[] _subjects = [];

    /// <inheritdoc/>
    public int Window => isTuned ? 8192 : 512;

    /// <inheritdoc/>
    public bool KeepsPayload => false;

    /// <inheritdoc/>
    public async Task OpenAsync(RoleOrder order)
    {
        NatsOpts options = NatsOpts.Default with { Url = $"nats://{order.ServerAddress}:{order.TcpPort}" };
        if (isTuned)
        {
            options = options with
            {
                SubPendingChannelCapacity = TunedCapacity,
                SubPendingChannelFullMode = System.Threading.Channels.BoundedChannelFullMode.Wait,
            };
        }
        if (isTls)
            options = options with { TlsOpts = new NatsTlsOpts { Mode = TlsMode.Require, InsecureSkipVerify = true } };
        _subjects = [.. Enumerable.Range(0, order.Groups).Select(IPubSub.TopicOf)];
        while (true)
        {
            _connection = new NatsConnection(options);
            try
            {
                await _connection.ConnectAsync();
                return;
            }
            catch (NatsException)
            {
                await _connection.DisposeAsync();
                await Task.Delay(ConnectPause);
            }
        }
    }

    /// <inheritdoc/>
    public async Task SubscribeAsync(RoleOrder order, Action<ReadOnlySpan<byte>> onMessage)
    {
        foreach (string subject in (string[])[.. _subjects, IPubSub.TopicOf(IPubSub.Probe)])
        {
            INatsSub<NatsMemoryOwner<byte>> subscription =
                await _connection.SubscribeCoreAsync<NatsMemoryOwner<byte>>(subject);
            _ = ReadAsync(subscription, onMessage);
        }
        await _connection.PingAsync();
    }

    /// <inheritdoc/>
    public ValueTask PublishAsync(int group, byte[] payload) =>
        _connection.PublishAsync(group < 0 ? IPubSub.TopicOf(group) : _subjects[group], payload);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private static async Task ReadAsync(
        INatsSub<NatsMemoryOwner<byte>> subscription, Action<ReadOnlySpan<byte>> onMessage)
    {
        await foreach (NatsMsg<NatsMemoryOwner<byte>> message in subscription.Msgs.ReadAllAsync())
        {
            using NatsMemoryOwner<byte> data = message.Data;
            onMessage(data.Span);
        }
    }
}
