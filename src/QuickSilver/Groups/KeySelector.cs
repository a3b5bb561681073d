namespace QuickSilver;

/// <summary>Tells which messages replace each other, for <see cref="OverflowPolicy.KeepLatestByKey"/>. Called on the core
/// thread: pure and short.</summary>
/// <param name="message">The message; valid during the call.</param>
/// <returns>The key.</returns>
public delegate ulong KeySelector(in MessageRef message);
