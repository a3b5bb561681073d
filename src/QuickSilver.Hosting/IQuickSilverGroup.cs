namespace QuickSilver.Hosting;

/// <summary>
/// A group of a hosted node, across evictions: behind it is one handle after another. Calls wait while the node is
/// away and the group is being joined again. Any thread.
/// </summary>
public interface IQuickSilverGroup
{
    /// <summary>Name of the group.</summary>
    string Name { get; }

    /// <summary>The present handle; null while there is none.</summary>
    Group? Current { get; }

    /// <summary>Number of times that the group was joined again.</summary>
    long Rejoins { get; }

    /// <summary>Reports that the group was joined again, with the reason and what it cost. Raised on a pool thread;
    /// exceptions of handlers are logged.</summary>
    event EventHandler<GroupRejoined>? Rejoined;

    /// <summary>Waits for the present handle.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The host has left the group.</exception>
    /// <exception cref="QuickSilverException">The group has ended for good; this is the reason.</exception>
    ValueTask<Group> GetHandleAsync(CancellationToken cancellationToken = default);

    /// <summary>Sends a message as <see cref="MessageSender.SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>.
    /// Waits while the group is being joined again; the message then goes to the new view. Allocates nothing while
    /// there is a handle.</summary>
    /// <param name="payload">The message. It must not change until the task completes.</param>
    /// <param name="cancellationToken">Cancels the wait; the message is then not sent.</param>
    /// <exception cref="PayloadTooLargeException">The message is too long.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The host has left the group.</exception>
    /// <exception cref="QuickSilverException">The group has ended for good; this is the reason.</exception>
    ValueTask SendAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default);

    /// <summary>Reads all messages, of one handle after another. One reader at a time, and none beside the handlers of
    /// <see cref="QuickSilverBuilder.AddHandler"/>. Ends when the host leaves the group.</summary>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    /// <exception cref="InvalidOperationException">Another reader, or a handler, reads the group.</exception>
    /// <exception cref="OperationCanceledException">The enumeration was cancelled.</exception>
    /// <exception cref="QuickSilverException">The group has ended for good; this is the reason. Thrown after all
    /// stored messages.</exception>
    IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default);
}
