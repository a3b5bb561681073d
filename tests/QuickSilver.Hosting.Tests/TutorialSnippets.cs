using System.Collections.Concurrent;
using System.Text.Json.Serialization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using QuickSilver.Testing;
using QuickSilver.Typed;

namespace QuickSilver.Hosting.Tests;

internal sealed record Reading(string Station, double Celsius);

[JsonSerializable(typeof(Reading))]
internal sealed partial class ReadingContext : JsonSerializerContext;

internal sealed class Stations : IMessageHandler<Reading>
{
    public ConcurrentDictionary<string, double> Latest { get; } = new();

    public ValueTask HandleAsync(TypedMessage<Reading> message, CancellationToken cancellationToken)
    {
        Latest[message.Value.Station] = message.Value.Celsius;
        Console.WriteLine(string.Join(", ", Latest.Select(station => $"{station.Key} {station.Value:F1}")));
        return default;
    }
}

internal sealed class Sensor([FromKeyedServices("readings")] IQuickSilverGroup<Reading> readings) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        string station = $"{Environment.MachineName}-{Environment.ProcessId}";
        while (!stoppingToken.IsCancellationRequested)
        {
            double celsius = 15 + (Random.Shared.NextDouble() * 10);
            await readings.SendAsync(new Reading(station, celsius), cancellationToken: stoppingToken);
            await Task.Delay(TimeSpan.FromSeconds(1), stoppingToken);
        }
    }
}

/// <summary>The code of docs/tutorial.md: it compiles here, its test runs here, and the page is held to it.</summary>
public sealed class TutorialSnippets
{
    [Fact]
    public async Task The_latest_reading_of_a_station_is_kept()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(["attic"]);
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddQuickSilver(options => cluster.Configure("service", options))
            .AddGroup("readings", ReadingContext.Default.Reading)
            .AddHandler<Stations>("readings");
        using IHost service = builder.Build();
        await service.StartAsync();

        await using Group<Reading> attic = await cluster["attic"].JoinAsync(
            "readings", ReadingContext.Default.Reading, new GroupOptions { SelfDelivery = false });
        await attic.SendAsync(new Reading("attic", 30.5));
        await attic.SendAsync(new Reading("attic", 31.0));
        await cluster.WaitForProcessedAsync();

        Assert.Equal(31.0, service.Services.GetRequiredService<Stations>().Latest["attic"]);
        await service.StopAsync();
    }

    internal static async Task TextAsync(string[] args)
    {
        await using QuickSilverNode node = await QuickSilverNode.StartAsync();
        if (args.Length > 0)
        {
            await using GroupPublisher publisher = await node.OpenPublisherAsync("weather");
            await publisher.WaitForMembersAsync(1);
            await publisher.SendAsync(args[0]);
            await publisher.CloseAsync();
            return;
        }
        await using Group weather = await node.JoinAsync("weather");
        Console.CancelKeyPress += async (_, key) => { key.Cancel = true; await weather.DisposeAsync(); };
        await foreach (Message message in weather.ReadAllAsync())
            Console.WriteLine($"{message.SenderName}: {message.GetString()}");
    }

    internal static async Task ValuesAsync(string[] args)
    {
        await using QuickSilverNode node = await QuickSilverNode.StartAsync();
        await using Group<Reading> readings = await node.JoinAsync("readings", ReadingContext.Default.Reading);
        Console.CancelKeyPress += async (_, key) => { key.Cancel = true; await readings.DisposeAsync(); };
        if (args.Length > 0)
            await readings.SendConfirmedAsync(new Reading(node.Name, double.Parse(args[0])));
        await foreach (TypedMessage<Reading> message in readings.ReadAllAsync())
            Console.WriteLine($"{message.Value.Station}: {message.Value.Celsius:F1} degrees");
    }

    internal static async Task ServiceAsync(string[] args)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddQuickSilver()
            .AddGroup("readings", ReadingContext.Default.Reading)
            .AddHandler<Stations>("readings");
        builder.Services.AddHostedService<Sensor>();
        await builder.Build().RunAsync();
    }
}
