using Microsoft.Extensions.Logging;

namespace QuickSilver.Hosting;

/// <summary>Gives a node the membership servers of its configuration when that changes. Other options are read at the
/// start alone. A list that is not valid is logged, and changes nothing.</summary>
/// <param name="node">The node.</param>
/// <param name="servers">The servers at its start.</param>
/// <param name="log">The log of the hosted node.</param>
internal sealed class ServerListFollower(QuickSilverNode node, IEnumerable<string> servers, ILogger log)
{
    private readonly Lock _lock = new();
    private List<string> _known = [.. servers];

    /// <summary>Looks at the configuration. Never throws: the caller is the configuration's own thread.</summary>
    /// <param name="read">Reads the servers.</param>
    public void Look(Func<IReadOnlyList<string>> read)
    {
        lock (_lock)
        {
            try
            {
                List<string> now = [.. read()];
                if (now.SequenceEqual(_known, StringComparer.Ordinal)) return;
                node.ChangeMembershipServers(now);
                _known = now;
            }
            catch (ObjectDisposedException)
            {
                // The host ends.
            }
            catch (Exception mistake)
            {
                Log.ServersNotChanged(log, node.Name, mistake.Message);
            }
        }
    }
}
