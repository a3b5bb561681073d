using System.Text.Json.Serialization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using QuickSilver.Typed;

namespace QuickSilver.Hosting.Tests;

internal sealed record Tick(string Symbol, decimal Price);

[JsonSerializable(typeof(Tick))]
internal sealed partial class TickContext : JsonSerializerContext;

internal sealed record Question(string Item);

internal sealed record Answer(int Count);

[JsonSerializable(typeof(Question))]
[JsonSerializable(typeof(Answer))]
internal sealed partial class StockContext : JsonSerializerContext;

internal sealed class StockResponder : IResponder<Question, Answer>
{
    public ValueTask<Answer> RespondAsync(TypedMessage<Question> request, CancellationToken cancellationToken) =>
        ValueTask.FromResult(new Answer(request.Value.Item.Length));
}

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

    public static void AddTicks(IServiceCollection services)
    {
        services.AddQuickSilver().AddGroup("ticks", TickContext.Default.Tick).AddHandler<TickHandler>("ticks");
    }

    public static void AddStock(IServiceCollection services)
    {
        services.AddQuickSilver()
            .AddRequestGroup("stock", StockContext.Default.Question, StockContext.Default.Answer)
            .AddResponder<StockResponder>("stock");
    }

    public static void AddTelemetry(IServiceCollection services)
    {
        services.AddOpenTelemetry()
            .WithMetrics(static metrics => metrics.AddQuickSilverInstrumentation())
            .WithTracing(static traces => traces.AddQuickSilverInstrumentation());
        services.AddQuickSilver().AddGroup("ticks", TickContext.Default.Tick, static group => group.Typed.Tracing = true);
    }

    public static void AddGateway(IServiceCollection services)
    {
        services.AddKeyedQuickSilver("gateway").AddSiteGateway().AddHealthCheck();
    }

    public static void AddPublisher(IServiceCollection services)
    {
        services.AddQuickSilver().AddPublisher("prices");
    }

    public static void AddDesk(IServiceCollection services)
    {
        services.AddQuickSilver()
            .AddInbox("desk")
            .AddGroup("prices", static group => group.Inbox = "desk");
    }

    public static async Task RoomAsync(IQuickSilverNode node, CancellationToken stop)
    {
        await using IHostedGroup room = await node.JoinAsync("room 17", cancellationToken: stop);
        await using IHostedPublisher orders = await node.OpenPublisherAsync("orders", cancellationToken: stop);
        await orders.SendAsync("room 17 is open"u8.ToArray(), stop);
        await foreach (Message message in room.ReadAllAsync(stop)) Console.WriteLine(message.GetString());
    }

    public static async Task FeedAsync(QuickSilverNode node)
    {
        await using Publisher<Tick> feed = await node.OpenPublisherAsync("ticks", TickContext.Default.Tick);
        await feed.SendAsync(new Tick("ABC", 1.25m));
    }

    public static async Task TicksAsync(QuickSilverNode node)
    {
        await using Group<Tick> ticks = await node.JoinAsync("ticks", TickContext.Default.Tick);
        await ticks.SendAsync(new Tick("ABC", 1.25m));
        await foreach (TypedMessage<Tick> message in ticks.ReadAllAsync()) Console.WriteLine(message.Value);
    }

    public static async Task AskAsync(QuickSilverNode node)
    {
        await using RequestGroup<Question, Answer> group = await node.JoinRequestsAsync(
            "stock", StockContext.Default.Question, StockContext.Default.Answer,
            async (question, stop) => new Answer(await CountAsync(question.Value.Item, stop)));
        ReplySet<Answer> answers = await group.RequestAsync(new Question("nails"), timeout: TimeSpan.FromSeconds(1));
        foreach (Reply<Answer> reply in answers.Replies.Where(static reply => !reply.IsError))
            Console.WriteLine($"{reply.Member.Name}: {reply.Value.Count}");
        foreach (Member member in answers.Missing) Console.WriteLine($"{member.Name} did not answer");
    }

    private static Task<int> CountAsync(string item, CancellationToken stop) =>
        Task.FromResult(item.Length).WaitAsync(stop);

    internal sealed class TickHandler(ILogger<TickHandler> logger) : IMessageHandler<Tick>
    {
        public ValueTask HandleAsync(TypedMessage<Tick> message, CancellationToken cancellationToken)
        {
            logger.LogInformation("{Sender}: {Tick}", message.SenderName, message.Value);
            return default;
        }
    }

    internal sealed class PriceHandler(ILogger<PriceHandler> logger) : IMessageHandler
    {
        public ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            logger.LogInformation("{Sender}: {Text}", message.SenderName, message.GetString());
            return default;
        }
    }

    internal sealed class Desk(IQuickSilverNode node, [FromKeyedServices("desk")] IQuickSilverInbox inbox)
        : BackgroundService
    {
        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            await node.JoinAsync("orders", static group => group.Inbox = "desk", stoppingToken);
            await foreach (Message message in inbox.ReadAllAsync(stoppingToken))
                Console.WriteLine($"{message.GroupName}: {message.GetString()}");
        }
    }

    internal sealed class PriceSource([FromKeyedServices("prices")] IQuickSilverPublisher prices) : BackgroundService
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
