namespace QuickSilver.Bench.Roles;

/// <summary>One line of JSON that a child process is sent after its order.</summary>
/// <param name="Kind">"go": begin; "total": all was sent, finish when it has come; the others are explained by the
/// roles that know them.</param>
/// <param name="Total">Of "total": how many messages were sent; of "go": the instant.</param>
internal sealed record RoleCommand(string Kind, long Total = 0);
