using System.Collections.Concurrent;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using QuickSilver.Tests.Api;

namespace QuickSilver.Hosting.Tests;

/// <summary>Hosts with a node each, that meet in the memory of this process, and what they log.</summary>
internal sealed class HostRig : IAsyncDisposable
{
    private readonly string _cluster = $"hosted {Guid.NewGuid()}";
    private readonly List<IHost> _hosts = [];
    private readonly List<QuickSilverNode> _nodes = [];

    /// <summary>What all hosts have logged.</summary>
    public RecordingLoggers Loggers { get; } = new();

    /// <summary>Builds a host.</summary>
    /// <param name="register">Registers the node, its groups and handlers.</param>
    /// <param name="settings">The configuration.</param>
    public IHost Build(
        Action<IServiceCollection> register, params (string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Configuration.AddInMemoryCollection(
            settings.Select(static entry => KeyValuePair.Create(entry.Key, entry.Value)));
        builder.Logging.AddProvider(Loggers).SetMinimumLevel(LogLevel.Debug);
        register(builder.Services);
        IHost host = builder.Build();
        _hosts.Add(host);
        return host;
    }

    /// <summary>Builds and starts a host.</summary>
    public async Task<IHost> StartAsync(
        Action<IServiceCollection> register, params (string Key, string? Value)[] settings)
    {
        IHost host = Build(register, settings);
        await host.StartAsync().WaitAsync(NodeRig.Patience);
        return host;
    }

    /// <summary>Options that meet the other nodes of this rig.</summary>
    public void Here(QuickSilverOptions options)
    {
        options.ClusterName = _cluster;
        options.Transport.Kind = TransportKind.InMemory;
        Trouble.Quick(options);
    }

    /// <summary>Starts a node by hand.</summary>
    public async Task<QuickSilverNode> StartNodeAsync()
    {
        var options = new QuickSilverOptions();
        Here(options);
        QuickSilverNode node = await QuickSilverNode.StartAsync(options).WaitAsync(NodeRig.Patience);
        _nodes.Add(node);
        return node;
    }

    /// <summary>Waits until events are logged: they happen first, and are told on threads of the host's own.</summary>
    /// <param name="ids">Their numbers.</param>
    public async Task UntilLoggedAsync(params int[] ids)
    {
        foreach (int id in ids) await NodeRig.UntilAsync(() => Loggers.Ids.Contains(id), $"{id} is logged");
    }

    /// <summary>Waits until a host's node is healthy, or is kept from it by the load of this machine alone.</summary>
    /// <param name="health">Who checks it.</param>
    public static Task UntilWellAsync(HealthCheckService health)
    {
        return NodeRig.UntilAsync(async () => IsWell(await health.CheckHealthAsync()), "the node is healthy");

        static bool IsWell(HealthReport report) => report.Status == HealthStatus.Healthy
            || (report.Status == HealthStatus.Degraded && report.Entries.Values.All(static entry =>
                (entry.Description ?? "").Split("; ")
                    .All(static doubt => doubt.StartsWith("the core thread ", StringComparison.Ordinal))));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IHost host in _hosts) await ((IAsyncDisposable)host).DisposeAsync();
        foreach (QuickSilverNode node in _nodes) await node.DisposeAsync();
    }

    /// <summary>Keeps what is logged.</summary>
    internal sealed class RecordingLoggers : ILoggerProvider, ILogger
    {
        public ConcurrentQueue<(int Id, LogLevel Level, string Text)> Records { get; } = new();

        public IEnumerable<int> Ids => Records.Select(static record => record.Id);

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) =>
            Records.Enqueue((eventId.Id, logLevel, formatter(state, exception)));

        public void Dispose()
        {
        }
    }
}
