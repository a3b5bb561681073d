using System.Net;
using System.Net.Sockets;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>
/// Orders the addresses of servers for the choice of a node's interface. Where servers have addresses of both families
/// and this machine has routes to both, they are called, and the family that answers comes first. IPv4 is called first,
/// and comes first when nobody answers.
/// </summary>
internal static class FamilyProbe
{
    private static readonly TimeSpan CallTime = TimeSpan.FromSeconds(1);

    /// <summary>Orders the addresses. Takes a second for each family whose servers do not answer, and only if there are
    /// two; sends nothing otherwise.</summary>
    /// <param name="servers">The addresses of each server, and its port.</param>
    /// <param name="stop">Cancels the calls.</param>
    public static async Task<IReadOnlyList<IPAddress>> OrderAsync(
        IReadOnlyList<(int Port, IPAddress[] Addresses)> servers, CancellationToken stop)
    {
        List<IPEndPoint> all = [.. servers.SelectMany(
            static server => server.Addresses.Select(one => new IPEndPoint(one, server.Port)))];
        AddressFamily best = AddressFamily.InterNetwork;
        if (HasBoth(all) && HasBoth(all.FindAll(static one => NetworkList.RouteTo(one.Address) is not null)))
        {
            bool isIPv4 = await AnswersAsync(all, AddressFamily.InterNetwork, stop).ConfigureAwait(false);
            bool isIPv6 = !isIPv4 && await AnswersAsync(all, AddressFamily.InterNetworkV6, stop).ConfigureAwait(false);
            if (isIPv6) best = AddressFamily.InterNetworkV6;
        }
        return [.. all.Select(static one => one.Address).OrderBy(one => one.AddressFamily != best)];
    }

    private static bool HasBoth(List<IPEndPoint> all) =>
        all.Exists(static one => one.AddressFamily == AddressFamily.InterNetwork)
            && all.Exists(static one => one.AddressFamily == AddressFamily.InterNetworkV6);

    private static async Task<bool> AnswersAsync(List<IPEndPoint> all, AddressFamily family, CancellationToken stop)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(CallTime);
        List<Task<bool>> calls =
            [.. all.FindAll(one => one.AddressFamily == family).Select(one => AnswersAsync(one, limit.Token))];
        while (calls.Count > 0)
        {
            Task<bool> first = await Task.WhenAny(calls).ConfigureAwait(false);
            if (await first.ConfigureAwait(false))
            {
                await limit.CancelAsync().ConfigureAwait(false);
                await Task.WhenAll(calls).ConfigureAwait(false);
                return true;
            }
            calls.Remove(first);
        }
        return false;
    }

    private static async Task<bool> AnswersAsync(IPEndPoint server, CancellationToken stop)
    {
        try
        {
            using var socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(server, stop).ConfigureAwait(false);
            return true;
        }
        catch (Exception silent) when (silent is SocketException or OperationCanceledException)
        {
            return false;
        }
    }
}
