namespace QuickSilver.Testing.Invariants;

/// <summary>The packets of one stream that carry a message.</summary>
/// <param name="Stream">The stream.</param>
/// <param name="First">Sequence of the first packet.</param>
/// <param name="Last">Sequence of the last packet.</param>
internal readonly record struct Carrier(StreamFacts Stream, ulong First, ulong Last);
