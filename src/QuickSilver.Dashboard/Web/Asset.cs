using System.Collections.Frozen;
using System.Reflection;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace QuickSilver.Dashboard.Web;

/// <summary>A file of the page, from the assembly. Browsers keep it, and ask each time whether it has
/// changed.</summary>
internal sealed class Asset
{
    private static readonly Dictionary<string, string> Types = new()
    {
        [".html"] = "text/html; charset=utf-8",
        [".css"] = "text/css; charset=utf-8",
        [".js"] = "text/javascript; charset=utf-8",
        [".svg"] = "image/svg+xml",
    };

    private static readonly Lazy<FrozenDictionary<string, Asset>> All = new(Load);

    private readonly byte[] _bytes;
    private readonly string _type;
    private readonly string _tag;

    private Asset(byte[] bytes, string type)
    {
        _bytes = bytes;
        _type = type;
        _tag = $"\"{Convert.ToHexStringLower(SHA256.HashData(bytes)[..8])}\"";
    }

    /// <summary>Names of all files of the page, with '/'.</summary>
    public static IEnumerable<string> Names => All.Value.Keys;

    /// <summary>The file of a name; null if there is none.</summary>
    public static Asset? Find(string name) => All.Value.GetValueOrDefault(name);

    /// <summary>Answers with the file, or says that it has not changed.</summary>
    public Task WriteAsync(HttpContext context)
    {
        HttpResponse response = context.Response;
        response.Headers.CacheControl = "no-cache";
        response.Headers.ETag = _tag;
        if (IsKnown(context.Request.Headers.IfNoneMatch))
        {
            response.StatusCode = StatusCodes.Status304NotModified;
            return Task.CompletedTask;
        }
        response.ContentType = _type;
        response.ContentLength = _bytes.Length;
        return HttpMethods.IsHead(context.Request.Method)
            ? Task.CompletedTask : response.Body.WriteAsync(_bytes, context.RequestAborted).AsTask();
    }

    private static FrozenDictionary<string, Asset> Load()
    {
        Assembly own = typeof(Asset).Assembly;
        var all = new Dictionary<string, Asset>(StringComparer.Ordinal);
        foreach (string name in own.GetManifestResourceNames())
        {
            if (!Types.TryGetValue(Path.GetExtension(name), out string? type)) continue;
            using Stream stream = own.GetManifestResourceStream(name)!;
            byte[] bytes = new byte[stream.Length];
            stream.ReadExactly(bytes);
            all.Add(name, new Asset(bytes, type));
        }
        return all.ToFrozenDictionary(StringComparer.Ordinal);
    }

    private bool IsKnown(StringValues given) => given
        .SelectMany(static line => line?.Split(',') ?? [])
        .Select(static tag => tag.Trim())
        .Any(tag => tag == "*" || tag == _tag || tag == $"W/{_tag}");
}
