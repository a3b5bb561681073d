using System.Net;
using QuickSilver.Protocol.Membership.Discovery;

namespace QuickSilver.Membership.Discovery;

/// <summary>Another process that announces itself now, for this node's cluster and with its key. Immutable. It may be
/// gone already, and without a key anybody on the network may have sent it: only a connection proves more.</summary>
/// <param name="Kind">Whether it serves, or may.</param>
/// <param name="Sender">Distinguishes processes; drawn by each at its start.</param>
/// <param name="EndPoint">Where it listens.</param>
/// <param name="Term">The term of the server; 0: none yet.</param>
/// <param name="Members">The number of nodes registered there.</param>
/// <param name="IsProven">True when it has proven the key of the cluster.</param>
/// <param name="Age">The time since it was heard last.</param>
internal sealed record AnnouncedServer(
    AnnouncementKind Kind, ulong Sender, IPEndPoint EndPoint, ulong Term, int Members, bool IsProven, TimeSpan Age);
