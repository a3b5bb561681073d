using QuickSilver.Protocol.Membership;

namespace QuickSilver.Membership;

/// <summary>
/// Receives the events of a membership host, for diagnostics. Called on the host's thread or on pool threads. Refusals
/// and drops are reported once a minute for each kind and address, and always counted (<see cref="HostCounters"/>).
/// </summary>
internal interface IMembershipHostEvents
{
    /// <summary>Reports a refused node: by the server, or because its first frame is not a registration. The count is
    /// that of the same reason.</summary>
    void OnRefused(string remote, MembershipRefusal reason, long count);

    /// <summary>Reports a connection that was dropped for invalid or missing frames. The count is that of the same
    /// cause.</summary>
    void OnDropped(string remote, FrameEnd end, long count);

    /// <summary>Reports a connection that did not prove itself, or does not trust this host. The count is that of the
    /// same fault.</summary>
    /// <param name="remote">The other side's endpoint.</param>
    /// <param name="reason">What did not fit.</param>
    /// <param name="count">How many there were.</param>
    /// <param name="isProbe">True when it sent nothing at all, as checks of health do.</param>
    void OnUnauthenticated(string remote, string reason, long count, bool isProbe);

    /// <summary>Reports that a server's hold has begun or ended (<see cref="HoldReason.None"/>); repeated every few
    /// seconds.</summary>
    void OnHold(string clusterName, MembershipHold hold);

    /// <summary>Reports another host that serves the same cluster, once a minute.</summary>
    /// <param name="place">The address of that host.</param>
    /// <param name="nodes">The number of nodes registered there.</param>
    void OnRival(string place, int nodes);

    /// <summary>Reports that the cluster of this host goes into that of another one of its name.</summary>
    /// <param name="place">The address of the other host.</param>
    /// <param name="nodes">The number of nodes registered there.</param>
    void OnMerging(string place, int nodes);

    /// <summary>Reports that the application threw when it was asked whether a node may enter a group.</summary>
    void OnAuthorizeThrew(Exception thrown);

    /// <summary>Reports that the host has failed: its connections are closed, and another process may take
    /// over.</summary>
    void OnHostFailed(Exception fault);

    /// <summary>Reports that the lease of this process has not been renewed; a repeated reason is reported
    /// once.</summary>
    void OnRenewalFailed(string reason);

    /// <summary>Reports that this process has stopped to serve, because its lease has ended.</summary>
    void OnLeaseEnded();
}
