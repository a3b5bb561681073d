using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>
/// Resolves host names to all their addresses, of IPv4 first. A resolver without an answer blocks a system thread for
/// an unknown time. A process therefore runs one query per name at a time. Concurrent callers share its answer, each
/// with its own timeout. Any thread.
/// </summary>
internal static class HostAddresses
{
    private static readonly ConcurrentDictionary<string, Lazy<Task<IPAddress[]>>> Asked =
        new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Finds the addresses of a host.</summary>
    /// <param name="host">A name, or an address.</param>
    /// <param name="limit">The time to wait for an answer.</param>
    /// <param name="stop">Cancels the wait.</param>
    /// <returns>The addresses; or none, and the reason.</returns>
    public static async ValueTask<(IPAddress[] Addresses, string Failure)> FindAsync(
        string host, TimeSpan limit, CancellationToken stop)
    {
        if (IPAddress.TryParse(host, out IPAddress? address)) return ([address], "");
        Lazy<Task<IPAddress[]>> asked = Asked.GetOrAdd(
            host, static name => new(() => Task.Run(() => Dns.GetHostAddressesAsync(name))));
        try
        {
            IPAddress[] found = await asked.Value.WaitAsync(limit, stop).ConfigureAwait(false);
            return found.Length == 0
                ? ([], $"the name {host} has no address")
                : ([.. found.OrderBy(static one => one.AddressFamily == AddressFamily.InterNetworkV6)], "");
        }
        catch (TimeoutException)
        {
            return (
                [],
                $"the name {host} has not been resolved within {limit.TotalSeconds:0.#} s: "
                + "the resolver (DNS) does not answer");
        }
        catch (OperationCanceledException)
        {
            return ([], $"the name {host} has not been resolved: the resolver (DNS) has not answered yet");
        }
        catch (Exception refusal) when (refusal is SocketException or ArgumentException)
        {
            string cause = refusal is SocketException { SocketErrorCode: SocketError.TryAgain }
                ? "the resolver (DNS) does not answer: "
                : "";
            return ([], $"the name {host} cannot be resolved: {cause}{refusal.Message}");
        }
        finally
        {
            // The next caller gets a fresh answer.
            if (asked.IsValueCreated && asked.Value.IsCompleted) Asked.TryRemove(KeyValuePair.Create(host, asked));
        }
    }
}
