using QuickSilver.Protocol.Membership;

namespace QuickSilver.Membership;

/// <summary>
/// What a membership host has to tell people. Called on the host's own thread or the pool's; told once a second of each kind, counted always
/// (<see cref="HostCounters"/>).
/// </summary>
internal interface IMembershipHostEvents
{
    /// <summary>A node was refused, by the server or because its first frame was no registration; how many were for that reason.</summary>
    void OnRefused(string remote, MembershipRefusal reason, long count);

    /// <summary>A connection was dropped for what came, or did not come, over it; how many were for that reason.</summary>
    void OnDropped(string remote, FrameEnd end, long count);

    /// <summary>A server holds back, or does so no more (<see cref="HoldReason.None"/>); told again every few seconds.</summary>
    void OnHold(string clusterName, MembershipHold hold);

    /// <summary>Another host serves the same cluster; told once a minute.</summary>
    /// <param name="place">Where it is.</param>
    /// <param name="nodes">How many nodes are registered there.</param>
    void OnRival(string place, int nodes);

    /// <summary>The host has failed: its connections are closed, and another process may take over.</summary>
    void OnHostFailed(Exception fault);
}
