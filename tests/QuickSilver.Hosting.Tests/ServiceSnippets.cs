using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace QuickSilver.Hosting.Tests;

/// <summary>The code of docs/services.md: it compiles here, and the page is held to it.</summary>
internal static class ServiceSnippets
{
    public static async Task RunAsync(string[] args)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddQuickSilver()
            .AddGroup("prices")
            .AddHandler<PriceHandler>("prices")
            .AddHealthCheck();
        await builder.Build().RunAsync();
    }

    public static void Name(IServiceCollection services)
    {
        services.AddQuickSilver(static options => options.NodeName = Environment.MachineName);
    }

    internal sealed class PriceHandler(ILogger<PriceHandler> logger) : IMessageHandler
    {
        public ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            logger.LogInformation("{Sender}: {Text}", message.SenderName, message.GetString());
            return default;
        }
    }

    internal sealed class PriceSource([FromKeyedServices("prices")] IQuickSilverGroup prices) : BackgroundService
    {
        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            while (!stoppingToken.IsCancellationRequested)
            {
                await prices.SendAsync("42"u8.ToArray(), stoppingToken);
                await Task.Delay(TimeSpan.FromSeconds(1), stoppingToken);
            }
        }
    }
}
