using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using QuickSilver.Testing;
using QuickSilver.Typed;

namespace QuickSilver.Hosting.Tests;

/// <summary>The code of docs/testing-your-code.md: it runs here, and the page is held to it.</summary>
public sealed class TestingSnippets
{
    [Fact]
    public async Task A_handler_of_a_host_is_tested_by_what_it_has_processed()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(["feed"]);
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddQuickSilver(options => cluster.Configure("service", options))
            .AddGroup("ticks", TickContext.Default.Tick)
            .AddHandler<LatestPrices>("ticks");
        using IHost service = builder.Build();
        await service.StartAsync();

        await using Group<Tick> feed = await cluster["feed"].JoinAsync(
            "ticks", TickContext.Default.Tick, new GroupOptions { SelfDelivery = false });
        await feed.SendAsync(new Tick("ABC", 1.25m));
        await cluster.WaitForProcessedAsync();
        Assert.Equal(1.25m, service.Services.GetRequiredService<LatestPrices>().Prices["ABC"]);
        await service.StopAsync();
    }

    [Fact]
    public async Task A_crash_is_seen_by_those_who_stay()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(
            ["feed", "service"], static options => options.Membership.FailureTimeout = TimeSpan.FromSeconds(2));
        await cluster["feed"].JoinAsync("ticks");
        Group group = await cluster["service"].JoinAsync("ticks");
        await group.WaitForMembersAsync(2);
        await cluster.CrashAsync("feed");
        while (group.View.MemberCount > 1) await Task.Delay(10, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task A_service_is_tested_with_a_publisher_that_notes_what_it_is_given()
    {
        var ticks = new FakePublisher<Tick>();
        var service = new PriceService(ticks);
        Assert.Equal(1, await service.SetAsync("ABC", 1.25m));
        Assert.Equal([new Tick("ABC", 1.25m)], ticks.Sent);
    }

    internal sealed class PriceService([FromKeyedServices("ticks")] IQuickSilverPublisher<Tick> ticks)
    {
        public async Task<int> SetAsync(string symbol, decimal price)
        {
            DeliveryReport report = await ticks.SendConfirmedAsync(new Tick(symbol, price));
            return report.Confirmed;
        }
    }

    internal sealed class FakePublisher<T> : IQuickSilverPublisher<T>
    {
        public List<T> Sent { get; } = [];

        public string Name => "ticks";

        public GroupView View => new(Name, number: 1, [new Member(default, "reader")]);

        public IQuickSilverPublisher Raw => throw new NotSupportedException();

        public ValueTask SendAsync(T value, MessageHeaders? headers, CancellationToken cancellationToken)
        {
            Sent.Add(value);
            return default;
        }

        public Task<DeliveryReport> SendConfirmedAsync(
            T value, MessageHeaders? headers, CancellationToken cancellationToken)
        {
            Sent.Add(value);
            return Task.FromResult(new DeliveryReport((ulong)Sent.Count, View.Number, 1, 0, TimeSpan.Zero));
        }

        public Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }

    internal sealed class LatestPrices : IMessageHandler<Tick>
    {
        public ConcurrentDictionary<string, decimal> Prices { get; } = new();

        public ValueTask HandleAsync(TypedMessage<Tick> message, CancellationToken cancellationToken)
        {
            Prices[message.Value.Symbol] = message.Value.Price;
            return default;
        }
    }
}
