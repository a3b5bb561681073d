using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>Regions are merged beyond the budget, but never while a rule says who may enter which group.</summary>
public sealed class MergeRightsTests
{
    private const int Nodes = 3;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Regions_are_exact_while_a_rule_admits_to_groups(bool hasRule)
    {
        await using var rig = new NodeRig();
        void Change(QuickSilverOptions options)
        {
            options.Membership.MaxRegions = 1;
            if (hasRule) options.Security.Authorize = static request => !request.Group.EndsWith('2');
        }
        var shared = new List<Group>();
        for (int index = 0; index < Nodes; index++)
        {
            QuickSilverNode node = await rig.StartAsync(Change);
            shared.Add(await node.JoinAsync("shared"));
            if (index == 2 && hasRule)
                await Assert.ThrowsAsync<QuickSilverException>(() => node.JoinAsync("own 2"));
            else
                await node.JoinAsync($"own {index}");
        }
        foreach (Group group in shared)
        {
            await NodeRig.UntilAsync(
                () => group.View.MemberCount == Nodes && group.View.Regions.Count == (hasRule ? Nodes : 1),
                $"{Nodes} members in {(hasRule ? "a region each" : "one region")}");
        }
        // What is sent to one's own group of a merged region is filtered by the others: exact regions have none.
        await shared[0].SendAsync("to all");
        foreach (Group group in shared) Assert.Equal(["to all"], await NodeRig.ReadAsync(group, 1));
    }
}
