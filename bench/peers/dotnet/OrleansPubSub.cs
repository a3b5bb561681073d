using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Hosting;
using Orleans.Runtime;
using Orleans.Streams;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Peers.DotNet;

/// <summary>Orleans' memory streams: the sender's process is the silo, receivers are its clients and subscribe to a
/// stream for each group.</summary>
internal sealed class OrleansPubSub : IPubSub
{
    private const string Provider = "peers";
    private const int GatewayAfter = 100;
    private static readonly TimeSpan ConnectPause = TimeSpan.FromMilliseconds(250);

    private IHost _host = null!;
    private IAsyncStream<byte[]>[] _streams = [];
    private IAsyncStream<byte[]> _probe = null!;

    /// <inheritdoc/>
    public int Window => 4096;

    /// <inheritdoc/>
    public bool KeepsPayload => true;

    /// <inheritdoc/>
    public async Task OpenAsync(RoleOrder order)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Logging.ClearProviders();
        var server = IPAddress.Parse(order.ServerAddress);
        int gateway = order.TcpPort + GatewayAfter;
        if (order.Role == RoleKind.Sender)
        {
            builder.UseOrleans(silo => silo
                .UseDevelopmentClustering(new IPEndPoint(server, order.TcpPort))
                .ConfigureEndpoints(server, order.TcpPort, gateway)
                .AddMemoryGrainStorage("PubSubStore")
                .AddMemoryStreams(Provider));
        }
        else
        {
            builder.UseOrleansClient(client => client
                .UseStaticClustering(new IPEndPoint(server, gateway))
                .UseConnectionRetryFilter(async (_, stop) =>
                {
                    await Task.Delay(ConnectPause, stop);
                    return true;
                })
                .AddMemoryStreams(Provider));
        }
        _host = builder.Build();
        await _host.StartAsync();
        IStreamProvider provider = _host.Services.GetRequiredService<IClusterClient>().GetStreamProvider(Provider);
        _streams = [.. Enumerable.Range(0, order.Groups)
            .Select(group => provider.GetStream<byte[]>(StreamId.Create("group", IPubSub.TopicOf(group))))];
        _probe = provider.GetStream<byte[]>(StreamId.Create("group", IPubSub.TopicOf(IPubSub.Probe)));
    }

    /// <inheritdoc/>
    public async Task SubscribeAsync(RoleOrder order, Action<ReadOnlySpan<byte>> onMessage)
    {
        await Task.WhenAll(_streams.Select(stream => SubscribeAsync(stream, onMessage)));
        await SubscribeAsync(_probe, onMessage);
    }

    /// <inheritdoc/>
    public ValueTask PublishAsync(int group, byte[] payload) =>
        new((group < 0 ? _probe : _streams[group]).OnNextAsync(payload));

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }

    private static Task SubscribeAsync(IAsyncStream<byte[]> stream, Action<ReadOnlySpan<byte>> onMessage) =>
        stream.SubscribeAsync((payload, _) =>
        {
            onMessage(payload);
            return Task.CompletedTask;
        });
}
