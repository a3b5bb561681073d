using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Web;

/// <summary>Answers as JSON.</summary>
internal static class Answers
{
    /// <summary>Writes JSON that has been made already.</summary>
    public static Task WriteJsonAsync(HttpContext context, byte[] json)
    {
        context.Response.ContentType = "application/json; charset=utf-8";
        context.Response.ContentLength = json.Length;
        return context.Response.Body.WriteAsync(json, context.RequestAborted).AsTask();
    }

    /// <summary>Answers with a problem.</summary>
    /// <param name="context">The request.</param>
    /// <param name="status">Status of the answer.</param>
    /// <param name="title">What is wrong.</param>
    /// <param name="retryAfter">Seconds after which another try may help; 0 for none.</param>
    public static Task WriteProblemAsync(HttpContext context, int status, string title, int retryAfter = 0)
    {
        if (retryAfter > 0) context.Response.Headers.RetryAfter = retryAfter.ToString(CultureInfo.InvariantCulture);
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/problem+json; charset=utf-8";
        byte[] json = JsonSerializer.SerializeToUtf8Bytes(
            new Problem("about:blank", title, status), DashboardJson.Default.Problem);
        return context.Response.Body.WriteAsync(json, context.RequestAborted).AsTask();
    }
}
