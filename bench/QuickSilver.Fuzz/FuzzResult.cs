namespace QuickSilver.Fuzz;

/// <summary>What came of feeding one target.</summary>
/// <param name="Target">Its name.</param>
/// <param name="Inputs">How many inputs.</param>
/// <param name="Accepted">How many of them it took: the damage was harmless, or a lie that reads well.</param>
/// <param name="MostAllocated">The most bytes that one input made it allocate.</param>
/// <param name="Time">How long it took, making the inputs included.</param>
/// <param name="Failure">What went wrong, with the input; null: nothing.</param>
internal sealed record FuzzResult(
    string Target, long Inputs, long Accepted, long MostAllocated, TimeSpan Time, string? Failure);
