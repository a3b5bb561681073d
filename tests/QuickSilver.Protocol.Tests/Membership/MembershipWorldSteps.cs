namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>What tests of membership do again and again.</summary>
internal static class MembershipWorldSteps
{
    /// <summary>Adds members of one group, "g", and lets them get in.</summary>
    public static WorldNode[] Found(this MembershipWorld world, int count)
    {
        WorldNode[] nodes = world.AddMany(count);
        foreach (WorldNode node in nodes) node.Join("g");
        world.Run(TimeSpan.FromSeconds(1));
        return nodes;
    }

    /// <summary>Adds members of one group, "g", by their names.</summary>
    public static WorldNode[] Found(this MembershipWorld world, params string[] names)
    {
        WorldNode[] nodes = [.. names.Select(name => world.Add(name))];
        foreach (WorldNode node in nodes) node.Join("g");
        world.Run(TimeSpan.FromSeconds(1));
        return nodes;
    }

    /// <summary>Connects nodes to the present server, in this order.</summary>
    public static void Connect(this MembershipWorld world, IEnumerable<WorldNode> nodes)
    {
        foreach (WorldNode node in nodes) world.Connect(node);
    }

    /// <summary>Connects each node that lives and has no connection.</summary>
    public static void ConnectAll(this MembershipWorld world) =>
        world.Connect(world.Nodes.Where(static node => node.Connection is null && node.IsLive));

    /// <summary>Nobody is out, and nobody was told that somebody has left a group.</summary>
    public static void AssertUndisturbed(IEnumerable<WorldNode> nodes)
    {
        foreach (WorldNode node in nodes)
        {
            Assert.True(node.IsLive, $"{node.Name} is out: {node.Expelled}");
            Assert.DoesNotContain(node.Steps, step => step.Left.Count > 0);
        }
    }
}
