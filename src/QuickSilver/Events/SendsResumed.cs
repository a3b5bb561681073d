namespace QuickSilver;

/// <summary>Sends of this node go on after <see cref="SendsHeldUp"/>.</summary>
/// <param name="After">How long they have stood.</param>
/// <param name="EndedCalls">How many calls have ended with a <see cref="SendHeldUpException"/> meanwhile.</param>
public sealed record SendsResumed(TimeSpan After, long EndedCalls) : NodeEvent;
