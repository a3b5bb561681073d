namespace QuickSilver;

/// <summary>
/// Sees every message of a group on the core thread, at the moment of delivery, without a copy. Must be short and must not block: everything in the
/// node waits for it; what takes longer than <see cref="LoopOptions.StallWarning"/> is reported. What it throws is logged, counted and handled as
/// <see cref="HandlerErrorPolicy"/> says.
/// </summary>
/// <param name="message">The message; valid during the call.</param>
public delegate void MessageHandler(in MessageRef message);
