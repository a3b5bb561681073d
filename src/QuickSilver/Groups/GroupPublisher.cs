using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>
/// A handle that only sends to a group (<see cref="QuickSilverNode.OpenPublisherAsync"/>). The node is no member: no
/// view names it, it receives nothing, its own messages included, and costs the members no place in their rings.
/// Joiners wait for it as for any sender, so a member gets every message that is sent after its join has returned.
/// <para>
/// A group need not have members. Messages to nobody are numbered and gone: a send completes, a confirmation reports 0
/// members. <see cref="MessageSender.WaitForMembersAsync"/> waits for somebody.
/// </para>
/// <para>
/// A second publisher of the same name is a second handle on the same permission; it ends with the last one. The node
/// may also be a member of the group: then its <see cref="Group"/> receives what its publishers send. All messages of a
/// node to a group have one order, whichever handle sends them.
/// </para>
/// All members may be called from any thread.
/// </summary>
public sealed class GroupPublisher : MessageSender
{
    internal GroupPublisher(QuickSilverNode node, GroupHandle handle)
        : base(node, handle)
    {
    }

    /// <summary>Waits until every live member holds all messages sent, then ends the permission to send.</summary>
    /// <param name="cancellationToken">Cancels the wait only: the publisher is closed in any case.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the members it waited
    /// for.</exception>
    /// <exception cref="ObjectDisposedException">The publisher has already been closed.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile. Whether members hold the
    /// messages is unknown.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    public Task CloseAsync(CancellationToken cancellationToken = default) =>
        EndAsync(nameof(CloseAsync), "The publisher is closed in the background", cancellationToken);
}
