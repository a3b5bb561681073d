namespace QuickSilver.Scenarios.Roles;

/// <summary>One line of JSON that a child process is sent after its order.</summary>
/// <param name="Kind">"go": begin; "total": all was sent, finish when it has come.</param>
/// <param name="Total">Of "total": how many messages were sent.</param>
internal sealed record RoleCommand(string Kind, long Total = 0);
