using QuickSilver.Protocol.Wire;
using QuickSilver.Runtime;
using QuickSilver.Sending;

namespace QuickSilver;

/// <summary>Messages to several ordered groups at once.</summary>
public abstract partial class MessageSender
{
    /// <summary>The most groups of one message.</summary>
    internal const int MostTogether = OrderedRecord.MaxGroups;

    /// <summary>Sends one message to several groups: <see cref="QuickSilverNode.SendToGroupsAsync(
    /// IReadOnlyList{MessageSender}, ReadOnlyMemory{byte}, SendOptions, CancellationToken)"/>.</summary>
    internal static ValueTask SendTogetherAsync(
        QuickSilverNode node, IReadOnlyList<MessageSender> groups, ReadOnlySpan<byte> payload, SendOptions options,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(groups);
        options.ToTraits(nameof(options));
        var owners = new ISendOwner[CheckCount(groups)];
        for (int index = 0; index < owners.Length; index++)
        {
            MessageSender group = groups[index];
            if (Unfit(node, group, owners.AsSpan(0, index)) is { } unfit)
                throw new ArgumentException(unfit, nameof(groups));
            owners[index] = group.Handle;
        }
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        foreach (ISendOwner owner in owners)
        {
            if (owner.HasEnded) return ValueTask.FromException(owner.EndException());
        }
        foreach (ISendOwner owner in owners)
        {
            var group = (MessageSender)((GroupHandle)owner).Facade!;
            GroupCore core = group.CheckLength(payload.Length);
            const string Call = nameof(QuickSilverNode.SendToGroupsAsync);
            if ((Refused(core, GroupMode.Ordered, Call)
                ?? Refused(core, options.ModeFor(core.Mode), nameof(SendOptions))) is { } refused)
                return ValueTask.FromException(refused);
        }
        return Begin(owners, payload, options, cancellationToken);
    }

    private static ValueTask Begin(
        ISendOwner[] owners, ReadOnlySpan<byte> payload, SendOptions options, CancellationToken cancellationToken)
    {
        var first = (GroupHandle)owners[0];
        PooledPayload copy = first.Services.SendBuffers.Copy(payload);
        copy.Traits = options.ToTraits(nameof(options));
        if (owners.Length == 1) return first.Core!.EnterAsync(first, copy, cancellationToken);
        copy.Owners = owners;
        return first.Core!.EnterTogetherAsync(first, copy, cancellationToken);
    }

    private static int CheckCount(IReadOnlyList<MessageSender> groups)
    {
        int count = groups.Count;
        if (count == 0) throw new ArgumentException("There is no group to send to: name one at least.", nameof(groups));
        return count <= MostTogether
            ? count
            : throw new ArgumentException(
                $"{count} groups are too many for one message: it goes to {MostTogether} at most.", nameof(groups));
    }

    // Why a handle cannot be among those of a message; null: it can.
    private static string? Unfit(QuickSilverNode node, MessageSender? group, ReadOnlySpan<ISendOwner> before)
    {
        if (group is null) return "A group is null.";
        if (group.Node != node)
        {
            return $"'{group.Name}' is a handle of the node {group.Node.Name}, and {node.Name} sends: "
                + "all groups must be of the node that sends.";
        }
        foreach (ISendOwner owner in before)
        {
            if (((GroupHandle)owner).Name == group.Name)
                return $"'{group.Name}' is named twice: a member delivers a message once in each group.";
        }
        return null;
    }
}
