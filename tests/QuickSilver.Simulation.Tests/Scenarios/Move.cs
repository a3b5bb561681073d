namespace QuickSilver.Simulation.Tests.Scenarios;

/// <summary>A node leaves groups and joins others in the middle of a run; what it is not in it does not leave, what it
/// is in it does not join.</summary>
/// <param name="At">When, counted from the start of sending.</param>
/// <param name="Node">The node.</param>
/// <param name="Leave">Groups to leave.</param>
/// <param name="Join">Groups to join.</param>
internal sealed record Move(TimeSpan At, int Node, string[] Leave, string[] Join);
