namespace QuickSilver.Membership;

/// <summary>What a node's way to its membership server has to tell people. Called on threads of the pool, one call at a time; rare.</summary>
internal interface ILinkEvents
{
    /// <summary>This process has begun to serve the membership.</summary>
    void OnServing(string endpoint);

    /// <summary>A server is being looked for.</summary>
    /// <param name="what">What is tried, as a clause.</param>
    void OnSeeking(string what);

    /// <summary>A connection to a server is open.</summary>
    void OnConnected(string server);

    /// <summary>The connection ended.</summary>
    void OnLost(string server, FrameEnd end);

    /// <summary>No server could be reached; told once in a row of failures.</summary>
    void OnUnreachable(string reason);
}
