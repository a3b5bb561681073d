using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using QuickSilver.Hosting;

namespace QuickSilver.Tests.Programs;

/// <summary>Sends numbers as fast as they are admitted, until the host stops.</summary>
internal sealed class Sender([FromKeyedServices("numbers")] IQuickSilverGroup numbers) : BackgroundService
{
    /// <inheritdoc/>
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        long admitted = 0;
        try
        {
            while (!stoppingToken.IsCancellationRequested)
            {
                await numbers.SendAsync(BitConverter.GetBytes(admitted + 1), stoppingToken);
                admitted++;
            }
        }
        catch (OperationCanceledException)
        {
            // The message that waited is not sent.
        }
        Console.WriteLine($"admitted {admitted}");
    }
}
