namespace QuickSilver;

/// <summary>
/// Handles every message of a group on the core thread, at the moment of delivery and without a copy. It must be short
/// and must not block: the whole node waits for it. A call longer than <see cref="LoopOptions.StallWarning"/> is
/// reported. Exceptions are logged, counted and handled according to <see cref="HandlerErrorPolicy"/>.
/// </summary>
/// <param name="message">The message; valid during the call only.</param>
public delegate void MessageHandler(in MessageRef message);
