using Microsoft.AspNetCore.Http;

namespace QuickSilver.Dashboard.Web;

/// <summary>Headers of every answer: the page runs its own scripts alone, and nothing is fetched from
/// elsewhere.</summary>
internal static class Headers
{
    /// <summary>What the page may load, and from where.</summary>
    public const string Policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    /// <summary>Sets the headers before <paramref name="handler"/> answers.</summary>
    public static RequestDelegate On(RequestDelegate handler) => context =>
    {
        IHeaderDictionary headers = context.Response.Headers;
        headers.ContentSecurityPolicy = Policy;
        headers.XContentTypeOptions = "nosniff";
        headers.XFrameOptions = "DENY";
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        headers.CacheControl = "no-store";
        return handler(context);
    };
}
