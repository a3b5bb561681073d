namespace QuickSilver;

/// <summary>Returns the key that decides which messages replace each other under
/// <see cref="OverflowPolicy.KeepLatestByKey"/>. Called on the core thread; must be pure and short.</summary>
/// <param name="message">The message; valid during the call only.</param>
/// <returns>The key of the message.</returns>
public delegate ulong KeySelector(in MessageRef message);
