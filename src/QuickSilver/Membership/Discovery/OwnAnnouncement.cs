using System.Net;
using QuickSilver.Protocol.Membership.Discovery;

namespace QuickSilver.Membership.Discovery;

/// <summary>What this process announces of itself.</summary>
/// <param name="Kind">Whether it serves, or may.</param>
/// <param name="EndPoint">Where it listens: an address that others reach.</param>
/// <param name="Term">The term of its server; 0: none yet.</param>
/// <param name="Members">The number of nodes registered at it.</param>
internal readonly record struct OwnAnnouncement(
    AnnouncementKind Kind, IPEndPoint EndPoint, ulong Term = 0, int Members = 0)
{
    /// <summary>What a host of this process announces; null while it does not run.</summary>
    /// <param name="host">The host.</param>
    /// <param name="kind">Whether it serves, or may.</param>
    /// <param name="reached">The address at which others reach it, if it listens on all.</param>
    public static OwnAnnouncement? Of(MembershipHost? host, AnnouncementKind kind, IPAddress? reached)
    {
        if (host is not { IsRunning: true } || reached is null) return null;
        IPEndPoint listens = host.EndPoint;
        IPAddress address = MembershipHost.IsAll(listens.Address) ? reached : listens.Address;
        return new OwnAnnouncement(kind, new IPEndPoint(address, listens.Port), host.Term, host.Nodes);
    }
}
