using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using QuickSilver.WideArea;

namespace QuickSilver.Hosting;

/// <summary>The gateway of a hosted node: it lives within the life of that node.</summary>
/// <param name="registration">Its options.</param>
internal sealed class HostedGateway(GatewayRegistration registration) : IQuickSilverGateway
{
    private readonly TaskCompletionSource<SiteGateway> _started =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <inheritdoc/>
    public SiteGateway? Current => _started.Task.IsCompletedSuccessfully ? _started.Task.Result : null;

    /// <inheritdoc/>
    public Task<SiteGateway> GetGatewayAsync(CancellationToken cancellationToken = default) =>
        _started.Task.WaitAsync(cancellationToken);

    /// <summary>Starts it.</summary>
    public async Task StartAsync(QuickSilverNode node, IServiceProvider services, CancellationToken cancellationToken)
    {
        SiteGatewayOptions options = registration.Options;
        if (services.GetService<ILoggerFactory>() is { } loggers) options.UseLoggerFactory(loggers);
        if (services.GetService<IMeterFactory>() is { } meters) options.UseMeterFactory(meters);
        SiteGateway gateway = await SiteGateway.StartAsync(node, options, cancellationToken).ConfigureAwait(false);
        if (_started.TrySetResult(gateway)) return;
        await gateway.DisposeAsync().ConfigureAwait(false);
        throw new ObjectDisposedException(nameof(IQuickSilverGateway), "The host ended while the gateway started.");
    }

    /// <summary>Ends it: what was read for other sites is sent for two seconds. Waits for a start are over.</summary>
    /// <param name="reason">What they get.</param>
    public async Task EndAsync(Exception reason)
    {
        _started.TrySetException(reason);
        _ = _started.Task.Exception;
        if (Current is { } gateway) await gateway.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>The other sites that cannot be reached; none while another gateway of the site is active.</summary>
    public IEnumerable<string> SitesOutOfReach() => Current?.GetStatistics() is { IsActive: true } figures
        ? figures.Routes.Where(static route => route.Via is null).Select(static route => route.Site)
        : [];
}
