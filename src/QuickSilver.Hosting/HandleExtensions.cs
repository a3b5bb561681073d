namespace QuickSilver.Hosting;

/// <summary>The handles behind groups and publishers of a hosted node, for what their interfaces do not have: feeds,
/// inline handlers, leases, long messages. A handle ends with an eviction; ask for the next one then.</summary>
public static class HandleExtensions
{
    /// <summary>Waits for the present handle of a group. Any thread.</summary>
    /// <param name="group">The group.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">The group is not one of a hosted node.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The group has been left, or the host has ended.</exception>
    /// <exception cref="QuickSilverException">The group has ended for good; this is the reason.</exception>
    public static ValueTask<Group> GetHandleAsync(
        this IQuickSilverGroup group, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(group);
        return group is HostedSender<Group> hosted
            ? hosted.GetHandleAsync(cancellationToken)
            : throw new ArgumentException($"'{group.Name}' has no handle: it is of no hosted node.", nameof(group));
    }

    /// <summary>Waits for the present handle of a publisher. Any thread.</summary>
    /// <param name="publisher">The publisher.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">The publisher is not one of a hosted node.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The publisher has been closed, or the host has ended.</exception>
    /// <exception cref="QuickSilverException">The publisher has ended for good; this is the reason.</exception>
    public static ValueTask<GroupPublisher> GetHandleAsync(
        this IQuickSilverPublisher publisher, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(publisher);
        return publisher is HostedSender<GroupPublisher> hosted
            ? hosted.GetHandleAsync(cancellationToken)
            : throw new ArgumentException(
                $"'{publisher.Name}' has no handle: it is of no hosted node.", nameof(publisher));
    }
}
