using QuickSilver.Protocol.Membership;
using QuickSilver.Tests.Inboxes;

namespace QuickSilver.Tests.Api;

public sealed class GroupViewTests
{
    private static readonly NodeInfo A = InboxRig.Node("a", 1);
    private static readonly NodeInfo B = InboxRig.Node("b", 2);
    private static readonly NodeInfo C = InboxRig.Node("c", 3);

    [Fact]
    public void It_lists_its_members_in_the_order_of_their_ids_and_finds_them()
    {
        GroupView view = InboxRig.View(3, C, A, B);
        Assert.Equal("group view 3: a, b, c", view.ToString());
        Assert.Equal(3, view.MemberCount);
        Assert.Same(view.Members, view.Members);
        Assert.Equal("b", view.Find(new MemberId(B))!.Name);
        Assert.Null(view.Find(default));
        RegionView region = Assert.Single(view.Regions);
        Assert.Equal(Carrier.Unicast, region.Carrier);
        Assert.Equal("", region.Address);
        Assert.Equal(3, region.MemberCount);
    }

    [Fact]
    public void A_transitional_view_has_some_members_of_the_one_before_and_says_so()
    {
        GroupView before = InboxRig.View(3, A, B, C);
        var transitional = new GroupView(before, [A, C]);
        Assert.Equal((true, false), (transitional.IsTransitional, before.IsTransitional));
        Assert.Equal("group transitional view 3: a, c", transitional.ToString());
        Assert.Equal((3UL, 2), (transitional.Number, transitional.MemberCount));
        Assert.Equal((before.Epoch, before.Mode), (transitional.Epoch, transitional.Mode));
        Assert.Same(before.Regions, transitional.Regions);
        Assert.True(InboxRig.View(4, A, C).DiffersFrom(transitional));
    }

    [Fact]
    public void A_view_event_tells_who_came_and_who_went()
    {
        var change = new ViewChanged(null!, InboxRig.View(1, A, B), InboxRig.View(2, B, C));
        Assert.Equal(["c"], change.GetJoined().Select(static member => member.Name));
        Assert.Equal(["a"], change.GetLeft().Select(static member => member.Name));

        var first = new ViewChanged(null!, null, InboxRig.View(1, A, B));
        Assert.Equal(["a", "b"], first.GetJoined().Select(static member => member.Name));
        Assert.Empty(first.GetLeft());
    }
}
