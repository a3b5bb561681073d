using QuickSilver.WideArea;

namespace QuickSilver.Hosting;

/// <summary>The gateway beside a hosted node (<see cref="QuickSilverBuilder.AddSiteGateway"/>). It starts when the node
/// has joined its groups, and ends before the node does. Any thread.</summary>
public interface IQuickSilverGateway
{
    /// <summary>The gateway; null before it has started.</summary>
    SiteGateway? Current { get; }

    /// <summary>Waits until the gateway has started. It may then stand by for another one, and reach no site yet:
    /// <see cref="SiteGateway.WaitForSitesAsync"/>.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The host has ended before the gateway started.</exception>
    /// <exception cref="Exception">The start failed; this is its exception.</exception>
    Task<SiteGateway> GetGatewayAsync(CancellationToken cancellationToken = default);
}
