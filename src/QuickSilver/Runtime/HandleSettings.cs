using QuickSilver.Inboxes;
using QuickSilver.Inboxes.Shared;

namespace QuickSilver.Runtime;

/// <summary>The options of one handle, with the node's defaults filled in. Handles without options of their own share
/// one instance.</summary>
/// <param name="Mode">The delivery guarantee of the group, with its options.</param>
/// <param name="Limits">The limits and overflow policy of the inbox.</param>
/// <param name="HandlerErrors">The consequence of an exception in user code.</param>
/// <param name="SelfDelivery">True to receive the node's own messages.</param>
/// <param name="OnMessage">A handler attached before the first message; null for none.</param>
/// <param name="OnBatch">A batch handler attached before the first message; null for none.</param>
/// <param name="Key">Selects the key by which messages replace each other; not null when
/// <see cref="InboxLimits.ReplacesByKey"/> is true.</param>
/// <param name="LongMessageMaxUnreadBytes">Limit on the unread bytes of one long message.</param>
/// <param name="Inbox">The shared inbox that the messages go to; null: the handle has its own.</param>
internal sealed record HandleSettings(
    ModeOptions Mode,
    InboxLimits Limits,
    HandlerErrorPolicy HandlerErrors,
    bool SelfDelivery,
    MessageHandler? OnMessage,
    MessageBatchHandler? OnBatch,
    KeySelector? Key,
    long LongMessageMaxUnreadBytes,
    SharedInbox? Inbox)
{
    /// <summary>True for a handle that only sends.</summary>
    public bool IsPublisher { get; init; }

    /// <summary>True to keep long messages from the join on.</summary>
    public bool KeepLongMessages => Mode is ReliableMode { KeepLongMessages: true };

    /// <summary>The settings of a publisher: of the others those of the node's defaults, which nothing uses.</summary>
    public static HandleSettings From(PublisherOptions? options, HandleSettings defaults) => defaults with
    {
        IsPublisher = true,
        Mode = options?.Mode ?? defaults.Mode,
        HandlerErrors = options?.HandlerErrors ?? defaults.HandlerErrors,
    };

    /// <summary>Combines the options of a join with the node's defaults.</summary>
    public static HandleSettings From(
        GroupOptions options, DeliveryOptions node, SharedInbox? inbox = null) => new(
        options.Mode,
        new InboxLimits(
            options.InboxMaxMessages ?? node.InboxMaxMessages,
            options.InboxMaxBytes ?? node.InboxMaxBytes,
            options.Overflow ?? node.Overflow,
            options.BufferBeforeFirstRead,
            ReplacesByKey: options.Key is not null),
        options.HandlerErrors ?? node.HandlerErrors,
        options.SelfDelivery ?? node.SelfDelivery,
        options.OnMessage,
        options.OnBatch,
        options.Key,
        (options.Mode as ReliableMode)?.LongMessageMaxUnreadBytes ?? node.LongMessageMaxUnreadBytes,
        inbox);
}
