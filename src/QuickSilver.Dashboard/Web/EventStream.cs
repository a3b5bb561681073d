using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using QuickSilver.Dashboard.Json;
using QuickSilver.Dashboard.Sharing;

namespace QuickSilver.Dashboard.Web;

/// <summary>Server-sent events of one browser. It waits for its reader, and then sends the newest frame: nothing is
/// queued for it.</summary>
/// <param name="watch">The cluster.</param>
/// <param name="request">The pages that the browser shows.</param>
internal sealed class EventStream(SharedWatch watch, PageRequest request)
{
    private static readonly byte[] Nothing = [.. ": \n\n"u8];
    private static readonly byte[] BeforeFrame = [.. "event: frame\ndata: "u8];
    private static readonly byte[] BeforeTrouble = [.. "event: trouble\ndata: "u8];
    private static readonly byte[] End = [.. "\n\n"u8];
    private static readonly TimeSpan Silence = TimeSpan.FromSeconds(15);

    /// <summary>Sends frames until <paramref name="end"/>.</summary>
    public async Task RunAsync(HttpContext context, CancellationToken end)
    {
        context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        context.Response.ContentType = "text/event-stream";
        // A proxy would keep events until it has enough of them.
        context.Response.Headers["X-Accel-Buffering"] = "no";
        Stream body = context.Response.Body;
        await SendAsync(body, Nothing, end).ConfigureAwait(false);
        string question = $"events {request}";
        long seen = 0;
        Task<WatchState> next = watch.NextAsync(seen, end);
        while (!end.IsCancellationRequested)
        {
            if (await Task.WhenAny(next, Task.Delay(Silence, end)).ConfigureAwait(false) != next)
            {
                // Shows whether the reader is still there.
                await SendAsync(body, Nothing, end).ConfigureAwait(false);
                continue;
            }
            WatchState state = await next.ConfigureAwait(false);
            seen = state.Number;
            byte[] data = state.Frame?.AnswerTo(question, DashboardJson.Default.FrameView, request.ViewOf)
                ?? JsonSerializer.SerializeToUtf8Bytes(
                    new Trouble(state.Trouble ?? "There are no figures"), DashboardJson.Default.Trouble);
            await body.WriteAsync(state.Frame is null ? BeforeTrouble : BeforeFrame, end).ConfigureAwait(false);
            await body.WriteAsync(data, end).ConfigureAwait(false);
            await SendAsync(body, End, end).ConfigureAwait(false);
            next = watch.NextAsync(seen, end);
        }
    }

    private static async Task SendAsync(Stream body, byte[] last, CancellationToken end)
    {
        await body.WriteAsync(last, end).ConfigureAwait(false);
        await body.FlushAsync(end).ConfigureAwait(false);
    }
}
