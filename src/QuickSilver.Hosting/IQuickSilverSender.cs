namespace QuickSilver.Hosting;

/// <summary>
/// Sends to a group of a hosted node, across evictions: behind it is one handle after another. What a group and a
/// publisher have in common, so code that only sends takes this type. A test may implement it. Any thread.
/// </summary>
public interface IQuickSilverSender
{
    /// <summary>Name of the group.</summary>
    string Name { get; }

    /// <summary>The newest view of the present handle, or the last one of the handle before. Number 0 with no members
    /// before the first.</summary>
    GroupView View { get; }

    /// <summary>Sends a message if it can be admitted at once, as
    /// <see cref="MessageSender.TrySend(ReadOnlySpan{byte})"/>. Never waits and never throws.
    /// <see cref="SendStatus.NotMember"/> while there is no handle.</summary>
    /// <param name="payload">The message; copied before the call returns.</param>
    /// <returns><see cref="SendStatus.Accepted"/>, or the reason why nothing was sent.</returns>
    SendStatus TrySend(ReadOnlySpan<byte> payload);

    /// <summary>Sends a message as <see cref="MessageSender.SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>.
    /// Waits while there is no handle; the message then goes to the new view. Allocates nothing while there is
    /// one.</summary>
    /// <param name="payload">The message. It must not change until the task completes.</param>
    /// <param name="cancellationToken">Cancels the wait; the message is then not sent.</param>
    /// <exception cref="PayloadTooLargeException">The message is too long.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The handle has been left or closed, or the host has ended.</exception>
    /// <exception cref="QuickSilverException">The handle has ended for good; this is the reason.</exception>
    ValueTask SendAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default);

    /// <summary>Sends a message and waits until every live member holds it, as
    /// <see cref="MessageSender.SendConfirmedAsync(ReadOnlyMemory{byte}, CancellationToken)"/>, with its exceptions.
    /// Waits while there is no handle. A message is sent once: an eviction meanwhile ends the call.</summary>
    /// <param name="payload">The message. It must not change until the task completes.</param>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile. Whether members hold the
    /// message is unknown.</exception>
    Task<DeliveryReport> SendConfirmedAsync(
        ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default);

    /// <summary>Waits until every live member holds all messages that the present handle sent, as
    /// <see cref="MessageSender.FlushAsync"/>. Waits for the first handle.</summary>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    /// <exception cref="NodeEvictedException">The node is away, or was removed from the cluster meanwhile:
    /// <see cref="NodeEvictedException.MessagesInDoubt"/> counts the messages whose outcome is unknown.</exception>
    Task FlushAsync(CancellationToken cancellationToken = default);

    /// <summary>Waits until the group has at least <paramref name="count"/> nodes, as
    /// <see cref="MessageSender.WaitForMembersAsync"/>. Goes on across evictions.</summary>
    /// <param name="count">Number of nodes, at least 1.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The newest view.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is less than 1.</exception>
    /// <exception cref="QuickSilverException">The handle has ended for good; this is the reason.</exception>
    Task<GroupView> WaitForMembersAsync(int count, CancellationToken cancellationToken = default);
}
