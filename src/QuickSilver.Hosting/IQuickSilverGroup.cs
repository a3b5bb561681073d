namespace QuickSilver.Hosting;

/// <summary>
/// A group of a hosted node, across evictions: behind it is one handle after another. Calls wait while the node is
/// away and the group is being joined again. A test may implement it; <see cref="HandleExtensions"/> has the handle for
/// all else. Any thread.
/// </summary>
public interface IQuickSilverGroup : IQuickSilverSender
{
    /// <summary>Number of times that the group was joined again.</summary>
    long Rejoins { get; }

    /// <summary>Reports that the group was joined again, with the reason and what it cost. Raised on a pool thread;
    /// exceptions of handlers are logged.</summary>
    event EventHandler<GroupRejoined>? Rejoined;

    /// <summary>Reads all messages, of one handle after another. One reader at a time, and none beside the handlers of
    /// <see cref="QuickSilverBuilder.AddHandler"/>. Ends when the group is left.</summary>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    /// <exception cref="InvalidOperationException">Another reader, or a handler, reads the group; or its messages go to
    /// a shared inbox.</exception>
    /// <exception cref="OperationCanceledException">The enumeration was cancelled.</exception>
    /// <exception cref="QuickSilverException">The group has ended for good; this is the reason. Thrown after all
    /// stored messages.</exception>
    IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default);
}
