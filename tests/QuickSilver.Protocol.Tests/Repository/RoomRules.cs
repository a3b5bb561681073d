namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>
/// Rooms are namespaces below a root; each may use only itself and those before it in the list. A sub-room is named
/// with its room ("Recovery.Ring") and has its own place in the order; one that is not listed counts as its room.
/// </summary>
internal sealed class RoomRules(string root, params string[] rooms)
{
    /// <summary>True when the user's room comes before the room of what it uses, or the user is in no room.</summary>
    public bool Forbids(TypeUse use)
    {
        if (!use.User.StartsWith(root + ".", StringComparison.Ordinal)) return false;
        int user = RoomOf(use.User);
        return user < 0 || RoomOf(use.Used) > user;
    }

    /// <summary>The place of a type's room in the order; -1 when it is in none.</summary>
    public int RoomOf(string type)
    {
        if (!type.StartsWith(root + ".", StringComparison.Ordinal)) return -1;
        string[] path = type[(root.Length + 1)..].Split('.');
        int sub = path.Length > 2 ? Array.IndexOf(rooms, $"{path[0]}.{path[1]}") : -1;
        return sub >= 0 || path.Length < 2 ? sub : Array.IndexOf(rooms, path[0]);
    }
}
