namespace QuickSilver;

/// <summary>
/// Sees every message of a group as an <see cref="MessageHandler"/> does, in runs: what has come together is handed over in one call, which for small
/// messages costs several times less than a call for each. A run is as long as what lies side by side; often that is one message. What a call throws
/// is handled as if the run were one message.
/// </summary>
/// <param name="run">The messages; valid during the call.</param>
public delegate void MessageBatchHandler(in MessageBatch run);
