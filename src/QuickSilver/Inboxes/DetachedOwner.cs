using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Inboxes;

/// <summary>
/// Stands for the handle of a message that was made by hand: it has a name, and no group behind it. Immutable, any thread.
/// </summary>
/// <param name="name">The group's name.</param>
internal sealed class DetachedOwner(string name) : IInboxOwner
{
    /// <inheritdoc/>
    public string Name { get; } = name;

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">Always: nothing is behind it.</exception>
    public object Facade => throw new InvalidOperationException(
        "This message was made by hand and belongs to no group: use GroupName, or hand the group over beside it.");

    /// <summary>The record of a sender that is no member of anything.</summary>
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
    public void OnOverflow(long backlog, long leasedBytes)
    {
    }
}
