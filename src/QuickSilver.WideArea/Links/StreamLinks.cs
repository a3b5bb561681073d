using QuickSilver.Protocol.Sites.Frames;

namespace QuickSilver.WideArea.Links;

/// <summary>
/// Which connections serve which links, as the loop knows it. A link that is up keeps to the connection that it came up
/// by: so its datagrams come in order, and its end is that of the connection. Hellos go by all connections of the site
/// until then, and when another gateway of the site speaks. Loop thread only; allocates with connections only.
/// </summary>
/// <param name="plan">Who neighbours are.</param>
/// <param name="sealers">Seal what goes to each site.</param>
internal sealed class StreamLinks(GatewayPlan plan, LinkSealer?[] sealers)
{
    private readonly List<StreamConnection> _open = [];
    private readonly StreamConnection?[] _chosen = new StreamConnection?[plan.Map.Count];
    private readonly bool[] _areCarried =
        [.. Enumerable.Range(0, plan.Map.Count).Select(site => plan.Map.IsStream(plan.Site, site))];

    private readonly byte[] _frame = new byte[StreamFrame.MostBytes];

    /// <summary>Whether the link to a site is carried by connections.</summary>
    public bool Carries(int site) => _areCarried[site];

    /// <summary>A connection stands.</summary>
    public void Add(StreamConnection connection)
    {
        _open.Add(connection);
        foreach (StreamPeer peer in plan.Streams)
        {
            if (connection.Sites.Contains(peer.Site)) connection.Site = peer.Site;
        }
        // Of one that may be of several sites the first datagram says which.
        if (connection.Sites.Without(connection.Site) is { IsEmpty: false }) connection.Site = -1;
    }

    /// <summary>A connection has ended.</summary>
    /// <returns>The site whose link it carried; negative when it carried none.</returns>
    public int Remove(StreamConnection connection)
    {
        _open.Remove(connection);
        int site = Array.IndexOf(_chosen, connection);
        if (site >= 0) _chosen[site] = null;
        return site;
    }

    /// <summary>Whether a connection may speak for a site: it is open, has proven so, and speaks for no other.
    /// </summary>
    public bool Admits(StreamConnection connection, int site)
    {
        if (!connection.Sites.Contains(site) || (connection.Site >= 0 && connection.Site != site)) return false;
        if (!_open.Contains(connection)) return false;
        connection.Site = site;
        return true;
    }

    /// <summary>The link to a site, which is not up, comes up by this connection, if it does.</summary>
    public void Choose(int site, StreamConnection connection) => _chosen[site] = connection;

    /// <summary>Whether a connection carries the link to a site.</summary>
    public bool IsChosen(int site, StreamConnection connection) => ReferenceEquals(_chosen[site], connection);

    /// <summary>The link to a site has failed: what carried it ends.</summary>
    public void Drop(int site)
    {
        _chosen[site]?.Abort();
        _chosen[site] = null;
    }

    /// <summary>Whether the link to a site may send more.</summary>
    public bool HasRoom(int site) => _chosen[site] is { HasRoom: true };

    /// <summary>Sends a datagram of a link.</summary>
    /// <param name="site">Whose link it is.</param>
    /// <param name="datagram">The datagram.</param>
    /// <param name="isSettled">True when the link is up, and nobody else of the site has spoken.</param>
    public void Send(int site, ReadOnlySpan<byte> datagram, bool isSettled)
    {
        if (isSettled || datagram[LinkHeader.KindAt] != (byte)LinkKind.Hello)
        {
            if (_chosen[site] is { } chosen) SendBy(chosen, site, datagram);
            return;
        }
        foreach (StreamConnection connection in _open)
        {
            if (connection.Site == site) SendBy(connection, site, datagram);
        }
    }

    // Sealed for each: the other end drops what comes twice.
    private void SendBy(StreamConnection connection, int site, ReadOnlySpan<byte> datagram)
    {
        int length = datagram.Length + SealedLink.Overhead;
        StreamFrame.WriteHead(_frame, length);
        sealers[site]!.Seal(datagram, _frame.AsSpan(StreamFrame.HeadBytes, length));
        connection.Send(_frame.AsSpan(0, StreamFrame.HeadBytes + length));
    }
}
