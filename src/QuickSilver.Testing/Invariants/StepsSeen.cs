using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Invariants;

/// <summary>What was seen of a node's steps last.</summary>
/// <param name="Step">The step installed last.</param>
/// <param name="Installed">How many it had installed.</param>
internal readonly record struct StepsSeen(StepNumber Step, ulong Installed);
