using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Scheduling;

/// <summary>One entry of the <see cref="EventQueue"/>.</summary>
/// <param name="Due">When it happens.</param>
/// <param name="Tie">Seeded rank among the events of one instant.</param>
/// <param name="Sequence">Rank by the order of scheduling, where even <paramref name="Tie"/> is equal.</param>
/// <param name="Target">Who is told.</param>
/// <param name="Argument">What it is about; may be null.</param>
/// <param name="Value">A number for the target.</param>
internal readonly record struct SimulationEvent(
    Instant Due, ulong Tie, ulong Sequence, IEventTarget Target, object? Argument, long Value);
