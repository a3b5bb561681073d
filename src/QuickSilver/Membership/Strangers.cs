using System.Diagnostics;
using System.Net;
using QuickSilver.Protocol.Membership.Agent;

namespace QuickSilver.Membership;

/// <summary>
/// The unidentified connections of a host, limited in total and for each address. Beyond a limit the oldest connection
/// makes room for a new one. A node identifies itself at once; an idle connection is dropped. Any thread.
/// </summary>
/// <param name="limit">The limit of all unidentified connections.</param>
/// <param name="addressLimit">The limit for one address.</param>
/// <param name="loopbackLimit">The limit for each loopback address: all nodes of a machine may start at once.</param>
internal sealed class Strangers(int limit, int addressLimit, int loopbackLimit)
{
    private static readonly TimeSpan CallsAgain = 2 * ReconnectPace.Longest;

    private readonly Lock _lock = new();
    private readonly LinkedList<HostedConnection> _all = new();
    private readonly Dictionary<IPAddress, int> _byAddress = [];
    private long? _failedAt;

    /// <summary>The number of unidentified connections.</summary>
    public int Count
    {
        get
        {
            lock (_lock) return _all.Count;
        }
    }

    /// <summary>True while there are any, and for a moment after one has ended before it was secured: a node whose
    /// handshake took too long calls again after a pause.</summary>
    public bool AreComing
    {
        get
        {
            lock (_lock)
                return _all.Count > 0 || (_failedAt is { } at && Stopwatch.GetElapsedTime(at) < CallsAgain);
        }
    }

    /// <summary>Notes that a connection ended before it was secured.</summary>
    public void OnUnsecured()
    {
        lock (_lock) _failedAt = Stopwatch.GetTimestamp();
    }

    /// <summary>Adds a connection.</summary>
    /// <returns>The connection removed to make room, which the caller must end; null if there was room.</returns>
    public HostedConnection? Add(HostedConnection connection)
    {
        lock (_lock)
        {
            int ofAddress = _byAddress.GetValueOrDefault(connection.Address);
            bool isCrowded = ofAddress >= (IPAddress.IsLoopback(connection.Address) ? loopbackLimit : addressLimit);
            HostedConnection? oldest = null;
            if (isCrowded) oldest = FindOldest(connection.Address);
            else if (_all.Count >= limit) oldest = _all.First?.Value;
            if (oldest is not null) RemoveLocked(oldest);
            connection.Place = _all.AddLast(connection);
            _byAddress[connection.Address] = _byAddress.GetValueOrDefault(connection.Address) + 1;
            return oldest;
        }
    }

    /// <summary>Removes a connection that has identified itself or ended.</summary>
    public void Remove(HostedConnection connection)
    {
        lock (_lock) RemoveLocked(connection);
    }

    private HostedConnection? FindOldest(IPAddress address)
    {
        foreach (HostedConnection connection in _all)
        {
            if (connection.Address.Equals(address)) return connection;
        }
        return null;
    }

    private void RemoveLocked(HostedConnection connection)
    {
        if (connection.Place is not { } place) return;
        connection.Place = null;
        _all.Remove(place);
        int remaining = _byAddress[connection.Address] - 1;
        if (remaining > 0) _byAddress[connection.Address] = remaining;
        else _byAddress.Remove(connection.Address);
    }
}
