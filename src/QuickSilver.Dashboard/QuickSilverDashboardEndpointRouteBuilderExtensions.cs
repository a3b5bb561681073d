using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver;
using QuickSilver.Dashboard;
using QuickSilver.Dashboard.Sharing;
using QuickSilver.Dashboard.Sources;
using QuickSilver.Dashboard.Web;
using QuickSilver.Hosting;

// The namespace of what it extends, so that a program needs no other.
namespace Microsoft.AspNetCore.Builder;

/// <summary>Maps the dashboard of a QuickSilver cluster.</summary>
public static class QuickSilverDashboardEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Maps the dashboard of the cluster that the host's node is in. The cluster is watched
    /// (<see cref="QuickSilverNode.MonitorClusterAsync"/>) while a browser shows the page, once for all browsers, and
    /// not otherwise. The page shows names of nodes, groups and addresses to all that reach it: authorization is the
    /// host's, such as <c>app.MapQuickSilverDashboard("/quicksilver").RequireAuthorization()</c>.
    /// </summary>
    /// <param name="endpoints">The routes of the application.</param>
    /// <param name="pattern">Prefix of all addresses of the dashboard, such as "/quicksilver".</param>
    /// <returns>The group of routes, for authorization, rate limits and other conventions.</returns>
    /// <exception cref="InvalidOperationException">No QuickSilver node is registered
    /// (<c>AddQuickSilver</c>).</exception>
    public static RouteGroupBuilder MapQuickSilverDashboard(
        this IEndpointRouteBuilder endpoints, [StringSyntax("Route")] string pattern) =>
        MapQuickSilverDashboard(endpoints, pattern, static _ => { });

    /// <summary>Maps the dashboard with options. Otherwise as the overload above.</summary>
    /// <param name="endpoints">The routes of the application.</param>
    /// <param name="pattern">Prefix of all addresses of the dashboard, such as "/quicksilver".</param>
    /// <param name="configure">Sets options; called once.</param>
    /// <returns>The group of routes, for authorization, rate limits and other conventions.</returns>
    /// <exception cref="InvalidOperationException">No QuickSilver node is registered (<c>AddQuickSilver</c>), or none
    /// with the key <see cref="DashboardOptions.NodeKey"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    public static RouteGroupBuilder MapQuickSilverDashboard(
        this IEndpointRouteBuilder endpoints,
        [StringSyntax("Route")] string pattern,
        Action<DashboardOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(configure);
        DashboardOptions options = Configured(configure);
        IServiceProvider services = endpoints.ServiceProvider;
        IQuickSilverNode node = (options.NodeKey is null
                ? services.GetService<IQuickSilverNode>()
                : services.GetKeyedService<IQuickSilverNode>(options.NodeKey))
            ?? throw new InvalidOperationException(
                options.NodeKey is null
                    ? "No QuickSilver node is registered: call services.AddQuickSilver() first, or give a node."
                    : $"No QuickSilver node with the key '{options.NodeKey}' is registered.");
        return Map(endpoints, pattern, new NodeSource(node.GetNodeAsync), options);
    }

    /// <summary>Maps the dashboard of the cluster that <paramref name="node"/> is in, for programs that start their
    /// node themselves. The node stays the caller's. Otherwise as the overload above.</summary>
    /// <param name="endpoints">The routes of the application.</param>
    /// <param name="pattern">Prefix of all addresses of the dashboard, such as "/quicksilver".</param>
    /// <param name="node">The node that watches the cluster.</param>
    /// <param name="configure">Sets options; called once, if it is given.</param>
    /// <returns>The group of routes, for authorization, rate limits and other conventions.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    public static RouteGroupBuilder MapQuickSilverDashboard(
        this IEndpointRouteBuilder endpoints,
        [StringSyntax("Route")] string pattern,
        QuickSilverNode node,
        Action<DashboardOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(node);
        return Map(endpoints, pattern, new NodeSource(_ => Task.FromResult(node)), Configured(configure));
    }

    /// <summary>Maps the dashboard of any source.</summary>
    internal static RouteGroupBuilder Map(
        IEndpointRouteBuilder endpoints, string pattern, IClusterSource source, DashboardOptions options)
    {
        ArgumentNullException.ThrowIfNull(pattern);
        IServiceProvider services = endpoints.ServiceProvider;
        ILoggerFactory loggers = services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance;
        IHostApplicationLifetime? life = services.GetService<IHostApplicationLifetime>();
        CancellationToken stopping = life?.ApplicationStopping ?? default;
        var watch = new SharedWatch(
            source, options.Linger, loggers.CreateLogger("QuickSilver.Dashboard"), stopping);
        var dashboard = new DashboardEndpoints(watch, new StreamLimit(options.MaxStreams), stopping);
        return dashboard.Map(endpoints.MapGroup(pattern));
    }

    private static DashboardOptions Configured(Action<DashboardOptions>? configure)
    {
        var options = new DashboardOptions();
        configure?.Invoke(options);
        options.Validate();
        return options;
    }
}
