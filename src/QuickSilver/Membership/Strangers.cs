using System.Net;

namespace QuickSilver.Membership;

/// <summary>
/// The connections of a host that have not said who they are. There are at most so many, and so many from one address; where one more comes, the
/// oldest makes room for it: whoever means to register does so at once, and whoever only stands there goes. Any thread.
/// </summary>
/// <param name="most">The most of all.</param>
/// <param name="mostOfAddress">The most from one address.</param>
/// <param name="mostOfMachine">The most from each loopback address: all nodes of a machine may start at once.</param>
internal sealed class Strangers(int most, int mostOfAddress, int mostOfMachine)
{
    private readonly Lock _lock = new();
    private readonly LinkedList<HostedConnection> _all = new();
    private readonly Dictionary<IPAddress, int> _byAddress = [];

    /// <summary>How many there are.</summary>
    public int Count
    {
        get
        {
            lock (_lock) return _all.Count;
        }
    }

    /// <summary>Adds a connection.</summary>
    /// <returns>The one that makes room for it, which is no stranger any more and has to be ended; null: there was room.</returns>
    public HostedConnection? Add(HostedConnection connection)
    {
        lock (_lock)
        {
            int ofAddress = _byAddress.GetValueOrDefault(connection.Address);
            bool isCrowded = ofAddress >= (IPAddress.IsLoopback(connection.Address) ? mostOfMachine : mostOfAddress);
            HostedConnection? oldest = null;
            if (isCrowded) oldest = FindOldest(connection.Address);
            else if (_all.Count >= most) oldest = _all.First?.Value;
            if (oldest is not null) RemoveLocked(oldest);
            connection.Place = _all.AddLast(connection);
            _byAddress[connection.Address] = _byAddress.GetValueOrDefault(connection.Address) + 1;
            return oldest;
        }
    }

    /// <summary>A connection has said who it is, or has ended.</summary>
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
        int left = _byAddress[connection.Address] - 1;
        if (left > 0) _byAddress[connection.Address] = left;
        else _byAddress.Remove(connection.Address);
    }
}
