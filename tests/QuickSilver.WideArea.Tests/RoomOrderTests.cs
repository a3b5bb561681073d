using QuickSilver.Protocol.Tests.Repository;

namespace QuickSilver.WideArea.Tests;

/// <summary>The rooms of the package, as docs/architecture.md lists them. Public types belong to none.</summary>
public sealed class RoomOrderTests
{
    private const string Root = "QuickSilver.WideArea";

    private static readonly RoomRules Rooms =
        new(Root, "Diagnostics", "Links", "Records", "Presence", "Groups", "Telling", "Ordering", "Running");

    private static readonly IReadOnlyList<TypeUse> Uses = AssemblyUses.Of(typeof(SiteGateway).Assembly);

    [Fact]
    public void Each_room_uses_only_rooms_before_it()
    {
        string found = string.Join('\n', Uses.Where(use => IsInRoom(use.User) && Rooms.Forbids(use)));
        Assert.True(found.Length == 0, found);
    }

    [Fact]
    public void No_room_uses_the_gateway_that_applications_hold()
    {
        string found = string.Join(
            '\n', Uses.Where(use => IsInRoom(use.User) && use.Used is Root + ".SiteGateway" or Root + ".SitePressure"
                or Root + ".SiteView"));
        Assert.True(found.Length == 0, found);
    }

    [Fact]
    public void The_analysis_sees_uses_that_are_there() =>
        Assert.Contains(
            Uses, use => use.User == Root + ".Running.GatewayLoop" && use.Used == Root + ".Links.GatewaySocket");

    private static bool IsInRoom(string type) =>
        type.StartsWith(Root + ".", StringComparison.Ordinal) && type.IndexOf('.', Root.Length + 1) >= 0;
}
