namespace QuickSilver.Testing.Membership;

/// <summary>A node's end of its channel to the simulated membership server.</summary>
internal interface IMembershipClient
{
    /// <summary>Index of its machine.</summary>
    int Machine { get; }

    /// <summary>The channel is open.</summary>
    void OnLinkConnected();

    /// <summary>The channel is closed.</summary>
    void OnLinkClosed();

    /// <summary>A frame has arrived.</summary>
    void OnLinkFrame(byte[] frame);
}
