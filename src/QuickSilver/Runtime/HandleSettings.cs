using QuickSilver.Inboxes;

namespace QuickSilver.Runtime;

/// <summary>How one handle behaves: its options, with the node's filled in. One instance for all handles that ask for nothing of their own.</summary>
/// <param name="Mode">The group's promise.</param>
/// <param name="Limits">The inbox's.</param>
/// <param name="HandlerErrors">What follows when a handler throws.</param>
/// <param name="SelfDelivery">Whether the node's own messages come.</param>
/// <param name="OnMessage">A handler attached before the first message.</param>
/// <param name="OnBatch">A handler of runs attached before the first message.</param>
/// <param name="Key">Which messages replace each other; there when <see cref="InboxLimits.ReplacesByKey"/> is true.</param>
internal sealed record HandleSettings(
    GroupMode Mode,
    InboxLimits Limits,
    HandlerErrorPolicy HandlerErrors,
    bool SelfDelivery,
    MessageHandler? OnMessage,
    MessageBatchHandler? OnBatch,
    KeySelector? Key)
{
    /// <summary>Fills the node's options in.</summary>
    public static HandleSettings From(GroupOptions options, DeliveryOptions node) => new(
        options.Mode,
        new InboxLimits(
            options.InboxMaxMessages ?? node.InboxMaxMessages,
            options.InboxMaxBytes ?? node.InboxMaxBytes,
            options.Overflow ?? node.Overflow,
            options.BufferBeforeFirstRead),
        options.HandlerErrors ?? node.HandlerErrors,
        options.SelfDelivery ?? node.SelfDelivery,
        options.OnMessage,
        options.OnBatch,
        options.Key);
}
