// WebFeed: a web API whose instances share what is posted. POST publishes to all of them, GET streams events (SSE).
//
//   dotnet run -c Release --project samples/WebFeed -- --urls http://127.0.0.1:5001
//   dotnet run -c Release --project samples/WebFeed -- --urls http://127.0.0.1:5002
//   curl -N http://127.0.0.1:5002/news &
//   curl -d '{"text":"hello"}' -H 'content-type: application/json' http://127.0.0.1:5001/news
//
// Who reaches the port can post and read: put authentication in front of what is not public. Bodies, texts and open
// streams have limits, and only the hosts of AllowedHosts are answered ("AllowedHosts": "news.example.com").

using System.Globalization;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Text.Json.Serialization;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.Options;
using QuickSilver;
using QuickSilver.Hosting;
using QuickSilver.Typed;

const int LongestBody = 16 << 10;
const int LongestText = 4 << 10;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
int mostStreams = int.Parse(builder.Configuration["MaxStreams"] ?? "100", CultureInfo.InvariantCulture);
builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Limits.MaxRequestBodySize = LongestBody);
builder.Services.AddHostFiltering(filter =>
    filter.AllowedHosts = (builder.Configuration["AllowedHosts"] ?? "localhost;127.0.0.1;[::1]").Split(';'));
builder.Services.AddRateLimiter(limits => limits
    .AddConcurrencyLimiter("streams", streams => streams.PermitLimit = mostStreams)
    .RejectionStatusCode = StatusCodes.Status503ServiceUnavailable);
builder.Services.ConfigureHttpJsonOptions(static json =>
{
    json.SerializerOptions.TypeInfoResolverChain.Insert(0, NewsContext.Default);
    json.SerializerOptions.RespectNullableAnnotations = true;
    json.SerializerOptions.RespectRequiredConstructorParameters = true; // {} is no news
});
builder.Services.AddQuickSilver()
    .AddPublisher("news", NewsContext.Default.News)
    .AddHealthCheck();
WebApplication app = builder.Build();
CancellationToken stopping = app.Lifetime.ApplicationStopping;
app.UseHostFiltering();
app.UseRateLimiter();

app.MapPost("/news", static async (
    News news, [FromKeyedServices("news")] IQuickSilverPublisher<News> publisher, CancellationToken aborted) =>
{
    if (news.Text.Length is 0 or > LongestText) return Results.BadRequest();
    await publisher.SendAsync(news, cancellationToken: aborted);
    return Results.Accepted();
});

app.MapGet("/news", static (IQuickSilverNode node, IHostApplicationLifetime life, CancellationToken aborted) =>
    TypedResults.ServerSentEvents(Feed.FollowAsync(node, life.ApplicationStopping, aborted)))
    .RequireRateLimiting("streams");

app.MapHealthChecks("/ready", new HealthCheckOptions { Predicate = static check => check.Tags.Contains("ready") });
try
{
    await app.RunAsync();
    return 0;
}
catch (OperationCanceledException) when (stopping.IsCancellationRequested)
{
    return 0; // Ctrl+C or SIGTERM while it started
}
catch (Exception failure) when (failure is QuickSilverException or OptionsValidationException
    or IOException or ArgumentException or FormatException or SocketException)
{
    await Console.Error.WriteLineAsync(failure.Message); // a wrong option or URL; the log has where it happened
    return 1;
}

internal sealed record News(string Text);

[JsonSerializable(typeof(News))]
internal sealed partial class NewsContext : JsonSerializerContext;

internal static class Feed
{
    // Each client reads through a group of its own; another handle on a group costs an inbox. It goes on across
    // evictions. A client that reads too slowly loses it, and with it its connection. The stop of the host ends the
    // streams, so they do not hold it up.
    public static async IAsyncEnumerable<News> FollowAsync(
        IQuickSilverNode hosted, CancellationToken stopping, [EnumeratorCancellation] CancellationToken aborted)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stopping, aborted);
        await using IHostedGroup<News> news = await hosted.JoinAsync(
            "news", NewsContext.Default.News, static news => news.RejoinAfterSlowReader = false, ended.Token);
        IAsyncEnumerator<TypedMessage<News>> reader = news.ReadAllAsync(ended.Token).GetAsyncEnumerator(ended.Token);
        await using (reader)
        {
            while (await MovesAsync(reader)) yield return reader.Current.Value;
        }
    }

    private static async ValueTask<bool> MovesAsync(IAsyncEnumerator<TypedMessage<News>> reader)
    {
        try
        {
            return await reader.MoveNextAsync();
        }
        catch (Exception end) when (end is OperationCanceledException or QuickSilverException)
        {
            return false;
        }
    }
}
