namespace QuickSilver;

/// <summary>
/// Handles every message of a group like a <see cref="MessageHandler"/>, but in batches: messages that arrive together
/// are delivered in one call. For small messages this costs several times less than a call for each. A batch holds the
/// messages that lie consecutively in memory, often a single one. An exception is handled as if the batch were one
/// message.
/// </summary>
/// <param name="batch">The messages; valid during the call only.</param>
public delegate void MessageBatchHandler(in MessageBatch batch);
