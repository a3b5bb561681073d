using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json.Nodes;
using System.Web;
using k8s;

namespace QuickSilver.Membership.Kubernetes.Tests;

/// <summary>
/// A small API server: Leases with versions and conflicts, and the EndpointSlices of Services. It can be slow, refuse,
/// lose its answers, and be down. Any thread.
/// </summary>
internal sealed class FakeApiServer : IDisposable
{
    public const string Namespace = "shop";

    private readonly Lock _lock = new();
    private readonly Dictionary<string, JsonObject> _leases = [];
    private readonly Dictionary<string, JsonArray> _services = [];
    private readonly int _port = FreePort();
    private HttpListener _listener;
    private int _version = 100;
    private int _writes;

    public FakeApiServer() => _listener = Listen();

    /// <summary>What each request is answered with instead; null for the usual answer.</summary>
    public volatile HttpStatus? Refusal;

    /// <summary>How many of the next changes are made and not answered.</summary>
    public int AnswersToLose;

    /// <summary>How long each answer takes.</summary>
    public int DelayMilliseconds;

    public int Writes => Volatile.Read(ref _writes);

    public string Place => $"127.0.0.1:{_port}";

    public KubernetesOptions Options(Action<KubernetesOptions>? change = null)
    {
        var options = new KubernetesOptions
        {
            Configuration = new KubernetesClientConfiguration { Host = $"http://{Place}", AccessToken = "token" },
            Namespace = Namespace,
        };
        change?.Invoke(options);
        return options;
    }

    /// <summary>A Lease as it is stored now; null if there is none.</summary>
    public JsonObject? Find(string name)
    {
        lock (_lock) return _leases.GetValueOrDefault(name)?.DeepClone().AsObject();
    }

    /// <summary>Changes a Lease as an operator does.</summary>
    public void Edit(string name, Action<JsonObject> change)
    {
        lock (_lock)
        {
            change(_leases[name]);
            Stamp(_leases[name]);
        }
    }

    public void Delete(string name)
    {
        lock (_lock) _leases.Remove(name);
    }

    public void SetEndpoints(string service, params (string Address, bool IsReady)[] endpoints)
    {
        var slices = new JsonArray();
        foreach ((string address, bool isReady) in endpoints)
        {
            slices.Add(new JsonObject
            {
                ["metadata"] = new JsonObject { ["name"] = $"{service}-{slices.Count}" },
                ["addressType"] = address.Contains(':', StringComparison.Ordinal) ? "IPv6" : "IPv4",
                ["endpoints"] = new JsonArray(new JsonObject
                {
                    ["addresses"] = new JsonArray(address),
                    ["conditions"] = new JsonObject { ["ready"] = isReady },
                }),
            });
        }
        lock (_lock) _services[service] = slices;
    }

    public void Stop() => _listener.Close();

    public void Start() => _listener = Listen();

    public void Dispose() => _listener.Close();

    private HttpListener Listen()
    {
        var listener = new HttpListener { Prefixes = { $"http://127.0.0.1:{_port}/" } };
        listener.Start();
        _ = AcceptAsync(listener);
        return listener;
    }

    private async Task AcceptAsync(HttpListener listener)
    {
        while (listener.IsListening)
        {
            try
            {
                HttpListenerContext context = await listener.GetContextAsync();
                _ = Task.Run(() => AnswerAsync(context));
            }
            catch (Exception end) when (end is HttpListenerException or ObjectDisposedException)
            {
                return;
            }
        }
    }

    private async Task AnswerAsync(HttpListenerContext context)
    {
        try
        {
            await Task.Delay(DelayMilliseconds);
            using var reader = new StreamReader(context.Request.InputStream);
            string body = await reader.ReadToEndAsync();
            (HttpStatusCode status, JsonNode answer) = Refusal is { } refusal
                ? (refusal.Code, Status(refusal.Message))
                : Answer(context.Request.HttpMethod, context.Request.Url!, body);
            if (context.Request.HttpMethod != "GET" && Interlocked.Decrement(ref AnswersToLose) >= 0)
            {
                await Task.Delay(Timeout.Infinite);
            }
            byte[] bytes = Encoding.UTF8.GetBytes(answer.ToJsonString());
            context.Response.StatusCode = (int)status;
            context.Response.ContentType = "application/json";
            await context.Response.OutputStream.WriteAsync(bytes);
            context.Response.Close();
        }
        catch (Exception gone) when (gone is HttpListenerException or ObjectDisposedException or IOException)
        {
            // The caller waits no longer, or the server is down.
        }
    }

    private (HttpStatusCode Status, JsonNode Answer) Answer(string method, Uri url, string body)
    {
        const string Leases = $"/apis/coordination.k8s.io/v1/namespaces/{Namespace}/leases";
        const string Slices = $"/apis/discovery.k8s.io/v1/namespaces/{Namespace}/endpointslices";
        string path = url.AbsolutePath;
        lock (_lock)
        {
            if (path == Slices)
            {
                string selector = HttpUtility.ParseQueryString(url.Query)["labelSelector"]!;
                string service = selector["kubernetes.io/service-name=".Length..];
                JsonNode items = _services.GetValueOrDefault(service)?.DeepClone() ?? new JsonArray();
                return (HttpStatusCode.OK, new JsonObject { ["items"] = items });
            }
            if (!path.StartsWith(Leases, StringComparison.Ordinal))
                return (HttpStatusCode.NotFound, Status($"{path} not found"));
            if (method == "GET")
            {
                return _leases.TryGetValue(path[(Leases.Length + 1)..], out JsonObject? found)
                    ? (HttpStatusCode.OK, found.DeepClone())
                    : (HttpStatusCode.NotFound, Status("leases not found"));
            }
            JsonObject given = JsonNode.Parse(body)!.AsObject();
            string name = given["metadata"]!["name"]!.GetValue<string>();
            bool isThere = _leases.TryGetValue(name, out JsonObject? before);
            if (method == "POST" && isThere) return (HttpStatusCode.Conflict, Status("leases already exists"));
            if (method == "PUT" && !isThere) return (HttpStatusCode.NotFound, Status("leases not found"));
            if (method == "PUT" && VersionOf(given) is { } version && version != VersionOf(before!))
                return (HttpStatusCode.Conflict, Status("the object has been modified"));
            Stamp(given);
            given["metadata"]!["uid"] ??= Guid.NewGuid().ToString();
            _leases[name] = given;
            Interlocked.Increment(ref _writes);
            return (method == "POST" ? HttpStatusCode.Created : HttpStatusCode.OK, given.DeepClone());
        }
    }

    private void Stamp(JsonObject lease) =>
        lease["metadata"]!["resourceVersion"] = (++_version).ToString(CultureInfo.InvariantCulture);

    private static string? VersionOf(JsonObject lease) => lease["metadata"]!["resourceVersion"]?.GetValue<string>();

    private static JsonObject Status(string message) => new() { ["kind"] = "Status", ["message"] = message };

    private static int FreePort()
    {
        using var socket = new TcpListener(IPAddress.Loopback, 0);
        socket.Start();
        return ((IPEndPoint)socket.LocalEndpoint).Port;
    }

    /// <summary>A refusal.</summary>
    internal sealed record HttpStatus(HttpStatusCode Code, string Message);
}
