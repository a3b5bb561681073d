namespace QuickSilver.Hosting;

/// <summary>One reader over groups of a hosted node, across evictions: behind it is one <see cref="Inbox"/> after
/// another. Groups enter it by <see cref="HostedGroupOptions.Inbox"/>. Any thread.</summary>
public interface IQuickSilverInbox
{
    /// <summary>Name of the inbox.</summary>
    string Name { get; }

    /// <summary>Reads all messages of all its groups, as <see cref="Inbox.ReadAllAsync"/>;
    /// <see cref="Message.GroupName"/> tells them apart. One reader at a time. Waits for the first group, and while the
    /// node is away. Ends when the host does.</summary>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    /// <exception cref="InvalidOperationException">Another reader reads the inbox.</exception>
    /// <exception cref="OperationCanceledException">The enumeration was cancelled.</exception>
    IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default);
}
