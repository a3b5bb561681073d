using QuickSilver.Protocol.Tests.Repository;

namespace QuickSilver.Tests.Repository;

/// <summary>
/// The rooms of the package, as docs/architecture.md lists them. The public types belong to none and may be used by
/// all, but for the objects that applications hold: they stand on the rooms.
/// </summary>
public sealed class RoomOrderTests
{
    private static readonly RoomRules Rooms =
        new(
            "QuickSilver", "Testing", "Security", "Transport", "Loop", "Membership", "Diagnostics", "Sending",
            "Inboxes", "Runtime", "Monitoring");
    private static readonly IReadOnlyList<TypeUse> Uses = AssemblyUses.Of(typeof(QuickSilverNode).Assembly);

    [Fact]
    public void Each_room_uses_only_rooms_before_it()
    {
        string found = string.Join('\n', Uses.Where(use => IsInRoom(use.User) && Rooms.Forbids(use)));
        Assert.True(found.Length == 0, found);
    }

    // They stand on the rooms: a room that used one would stand on itself.
    [Fact]
    public void No_room_uses_the_objects_that_applications_hold()
    {
        string found = string.Join('\n', Uses.Where(use => IsInRoom(use.User) && IsHeldByApplications(use.Used)));
        Assert.True(found.Length == 0, found);
        Assert.Contains(Uses, use => !IsInRoom(use.User) && IsHeldByApplications(use.Used));
    }

    [Fact]
    public void The_analysis_sees_uses_that_are_there() =>
        Assert.Contains(
            Uses, use => use.User == "QuickSilver.Runtime.NodeCore" && use.Used == "QuickSilver.Diagnostics.Log");

    private static bool IsHeldByApplications(string type) =>
        type is "QuickSilver.Group"
            or "QuickSilver.GroupPublisher"
            or "QuickSilver.Inbox"
            or "QuickSilver.MessageSender"
            or "QuickSilver.QuickSilverNode"
            or "QuickSilver.ClusterMonitor";

    private static bool IsInRoom(string type) =>
        type.StartsWith("QuickSilver.", StringComparison.Ordinal) && type.IndexOf('.', "QuickSilver.".Length) >= 0;
}
