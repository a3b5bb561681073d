using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The connections of an elected server. No frame leaves after its lease has ended, even if the server has stood still
/// in the middle of its work. Core thread only.
/// </summary>
/// <param name="links">Carries the frames.</param>
/// <param name="lease">The server's lease.</param>
/// <param name="clock">The clock of the lease.</param>
/// <param name="onLapsed">Called for each frame that is held back.</param>
internal sealed class LeasedLinks(IServerLinks links, ServingLease lease, IClock clock, Action onLapsed) : IServerLinks
{
    /// <inheritdoc/>
    public bool HasStrangers => links.HasStrangers;

    /// <inheritdoc/>
    public void Send(long connection, ReadOnlySpan<byte> frame)
    {
        if (lease.IsValid(clock.Now)) links.Send(connection, frame);
        else onLapsed();
    }

    /// <inheritdoc/>
    public void Close(long connection, MembershipRefusal reason) => links.Close(connection, reason);

    /// <inheritdoc/>
    public bool MayName(long connection, NetEndpoint endpoint) => links.MayName(connection, endpoint);

    /// <inheritdoc/>
    public string IdentityOf(long connection) => links.IdentityOf(connection);

    /// <inheritdoc/>
    public bool MayEnter(long connection, string nodeName, string groupName, bool isPublisher) =>
        links.MayEnter(connection, nodeName, groupName, isPublisher);
}
