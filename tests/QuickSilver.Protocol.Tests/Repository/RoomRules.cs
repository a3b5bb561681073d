namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>Rooms are the namespaces right below a root; each may use only itself and those before it in the
/// list.</summary>
internal sealed class RoomRules(string root, params string[] rooms)
{
    /// <summary>True when the user's room comes before the room of what it uses, or the user is in no room.</summary>
    public bool Forbids(TypeUse use)
    {
        if (!use.User.StartsWith(root + ".", StringComparison.Ordinal)) return false;
        int user = RoomOf(use.User);
        return user < 0 || RoomOf(use.Used) > user;
    }

    public int RoomOf(string type)
    {
        if (!type.StartsWith(root + ".", StringComparison.Ordinal)) return -1;
        string rest = type[(root.Length + 1)..];
        int dot = rest.IndexOf('.', StringComparison.Ordinal);
        return dot < 0 ? -1 : Array.IndexOf(rooms, rest[..dot]);
    }
}
