using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Inboxes;

/// <summary>
/// Owner of a message that the application created: it has a name, but no group. Immutable, any thread.
/// </summary>
/// <param name="name">Name of the group.</param>
internal sealed class DetachedOwner(string name) : IInboxOwner
{
    /// <inheritdoc/>
    public string Name { get; } = name;

    /// <inheritdoc/>
    public object? Facade => null;

    /// <summary>Creates the record of a sender that belongs to no cluster.</summary>
    public static NodeInfo Sender(MemberId id, string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return new NodeInfo(default, name, id.Incarnation, id.Endpoint, default, 0);
    }

    /// <inheritdoc/>
    public ulong? ReadKey(in DeliveredMessage message) => null;

    /// <inheritdoc/>
    public void OnDropped(NodeInfo sender, LossReason reason)
    {
    }

    /// <inheritdoc/>
    public void OnOverflow(long backlog, long bytes, long leasedBytes)
    {
    }
}
