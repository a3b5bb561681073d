namespace QuickSilver;

/// <summary>Returns the key that decides which messages replace each other
/// (<see cref="GroupOptions.Key"/>). Called on the core thread; must be pure and short.</summary>
/// <param name="message">The message; valid during the call only.</param>
/// <returns>The key of the message.</returns>
public delegate ulong KeySelector(in MessageRef message);
