namespace QuickSilver;

/// <summary>
/// Sees every message of a group as an <see cref="MessageHandler"/> does, in batches: what has come together is handed over in one call, which for small
/// messages costs several times less than a call for each. A batch is as long as what lies side by side; often that is one message. What a call throws
/// is handled as if the batch were one message.
/// </summary>
/// <param name="batch">The messages; valid during the call.</param>
public delegate void MessageBatchHandler(in MessageBatch batch);
