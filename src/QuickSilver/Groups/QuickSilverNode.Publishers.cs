using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>Handles that only send.</summary>
public sealed partial class QuickSilverNode
{
    /// <summary>Opens a handle that only sends to a group. On return, members take this node's messages, and joins from
    /// now on wait for it as for any sender. The node is no member and receives nothing. The group need not have
    /// members.</summary>
    /// <param name="name">Name of the group, as in <see cref="JoinAsync"/>.</param>
    /// <param name="options">Settings of the handle; copied and validated. Null: the defaults.</param>
    /// <param name="cancellationToken">Cancels the wait; the opening is undone in the background.</param>
    /// <returns>The publisher. Dispose of it to end the permission to send.</returns>
    /// <exception cref="ArgumentException">The name or an option is invalid.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message describes the
    /// obstacle.</exception>
    /// <exception cref="ObjectDisposedException">The node has been disposed of.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.GroupModeMismatch"/>,
    /// <see cref="ErrorCode.JoinTimedOut"/>, <see cref="ErrorCode.MembershipRefused"/>.</exception>
    public async Task<GroupPublisher> OpenPublisherAsync(
        string name, PublisherOptions? options = null, CancellationToken cancellationToken = default)
    {
        Names.ThrowIfNotAGroupName(name, nameof(name));
        HandleSettings settings = ToSettings(options);
        MessageSender[] opened = await JoinAllAsync([name], settings, cancellationToken).ConfigureAwait(false);
        return (GroupPublisher)opened[0];
    }

    /// <summary>Opens several publishers, all or none, in one membership change. Otherwise as
    /// <see cref="OpenPublisherAsync"/>, with its exceptions.</summary>
    /// <param name="names">Names of the groups, as in <see cref="JoinAsync"/>, without duplicates.</param>
    /// <param name="options">Settings of all handles; copied and validated.</param>
    /// <param name="cancellationToken">Cancels the wait; the openings are undone in the background.</param>
    /// <returns>The publishers, in the order of the names.</returns>
    /// <exception cref="ArgumentException">A name is invalid or a duplicate, or an option is invalid.</exception>
    public async Task<IReadOnlyList<GroupPublisher>> OpenPublishersAsync(
        IEnumerable<string> names, PublisherOptions? options = null, CancellationToken cancellationToken = default)
    {
        List<string> list = CheckNames(names);
        HandleSettings settings = ToSettings(options);
        if (list.Count == 0) return [];
        MessageSender[] opened = await JoinAllAsync(list, settings, cancellationToken).ConfigureAwait(false);
        return Array.AsReadOnly(Array.ConvertAll(opened, static one => (GroupPublisher)one));
    }

    private HandleSettings ToSettings(PublisherOptions? options)
    {
        options?.Validate(nameof(options));
        return HandleSettings.From(options, _defaults);
    }
}
