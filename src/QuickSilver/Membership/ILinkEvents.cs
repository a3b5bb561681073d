namespace QuickSilver.Membership;

/// <summary>Receives the events of a node's connection to its membership server, for diagnostics. Called on pool
/// threads, one call at a time; rare.</summary>
internal interface ILinkEvents
{
    /// <summary>Reports that this process has begun to serve the membership.</summary>
    void OnServing(string endpoint);

    /// <summary>Reports an attempt to find a server.</summary>
    /// <param name="what">The present action, as a clause.</param>
    void OnSeeking(string what);

    /// <summary>Reports that a connection to a server is open.</summary>
    void OnConnected(string server);

    /// <summary>Reports that the connection has ended.</summary>
    void OnLost(string server, FrameEnd end);

    /// <summary>Reports that no server is reachable; a repeated reason is reported once.</summary>
    void OnUnreachable(string reason);

    /// <summary>Reports a local port that is left to others, so that the next one is tried; once for each reason.
    /// </summary>
    /// <param name="reason">The place, and who is there.</param>
    /// <param name="isUsual">True for a server of another cluster, as any machine may have.</param>
    void OnPassedOver(string reason, bool isUsual)
    {
    }

    /// <summary>Reports that every server refused this node's key or certificate, or this node theirs. Follows
    /// <see cref="OnUnreachable"/>, after each attempt.</summary>
    void OnUntrusted(string reason)
    {
    }
}
