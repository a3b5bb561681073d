namespace QuickSilver.Bench.Roles;

/// <summary>A child process to be started.</summary>
/// <param name="Order">What it is told.</param>
/// <param name="Launch">How it is started.</param>
internal sealed record RoleStart(RoleOrder Order, RoleLaunch Launch);
