using System.Net;

namespace QuickSilver.Membership.Discovery;

/// <summary>Receives the trouble of discovery, for diagnostics. Any thread; rare.</summary>
internal interface IDiscoveryEvents
{
    /// <summary>Reports that a source does not answer, or that announcements are not sent or received. A repeated
    /// reason is reported once.</summary>
    /// <param name="source">The source.</param>
    /// <param name="reason">Why.</param>
    void OnDiscoveryFailed(string source, string reason);

    /// <summary>Reports an announcement of this cluster's name that does not count, once a minute for each address and
    /// fault.</summary>
    /// <param name="remote">Where it came from.</param>
    /// <param name="fault">Why it does not count.</param>
    /// <param name="count">How many had that fault.</param>
    void OnAnnouncementRefused(IPAddress remote, AnnouncementFault fault, long count);
}
