using System.Text.Json.Serialization;
using Microsoft.Extensions.Options;
using QuickSilver;
using QuickSilver.Hosting;
using QuickSilver.Typed;

HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
builder.Services.AddQuickSilver()
    .AddGroup("greetings", GreetingContext.Default.Greeting, static group => group.Group.SelfDelivery = false)
    .AddHandler<GreetingHandler>("greetings")
    .AddHealthCheck();
builder.Services.AddHostedService<Greeter>();
try
{
    await builder.Build().RunAsync();
    return 0;
}
catch (OperationCanceledException) { return 0; } // Ctrl+C or SIGTERM while it started
catch (Exception failure) when (failure is QuickSilverException or OptionsValidationException)
{
    await Console.Error.WriteLineAsync(failure.Message); // what to change; the log has where it happened
    return 1;
}

internal sealed record Greeting(string Text, int Number);

[JsonSerializable(typeof(Greeting))]
internal sealed partial class GreetingContext : JsonSerializerContext;

internal sealed class Greeter([FromKeyedServices("greetings")] IQuickSilverGroup<Greeting> greetings)
    : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        for (int number = 1; !stoppingToken.IsCancellationRequested; number++)
        {
            await greetings.SendAsync(new Greeting("hello", number), cancellationToken: stoppingToken);
            await Task.Delay(TimeSpan.FromSeconds(1), stoppingToken);
        }
    }
}

internal sealed partial class GreetingHandler(ILogger<GreetingHandler> logger) : IMessageHandler<Greeting>
{
    public ValueTask HandleAsync(TypedMessage<Greeting> message, CancellationToken cancellationToken)
    {
        LogGreeting(message.SenderName, message.Value.Text, message.Value.Number);
        return default;
    }

    [LoggerMessage(LogLevel.Information, "{Sender} says {Text} {Number}")]
    private partial void LogGreeting(string sender, string text, int number);
}
