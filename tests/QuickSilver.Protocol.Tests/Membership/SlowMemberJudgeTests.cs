using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Senders say that a member holds them: whose word removes it, and who is spared.</summary>
public sealed class SlowMemberJudgeTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly MembershipWorld _world = new();

    [Fact]
    public void AMemberThatSaysItIsBehindGoes()
    {
        WorldNode[] nodes = _world.Found(4);
        Accuse(nodes[0], nodes[3]);
        Admit(nodes[3]);
        AssertGone(nodes, 3);
    }

    [Fact]
    public void ASenderAloneCanHaveNobodyRemoved()
    {
        WorldNode[] nodes = _world.Found(5);
        Accuse(nodes[0], nodes[3]);
        AssertNobodyGoes(nodes);
    }

    [Fact]
    public void TwoOfFiveCannotHaveAMemberRemovedThatSaysNothing()
    {
        WorldNode[] nodes = _world.Found(5);
        Accuse(nodes[0], nodes[3]);
        Accuse(nodes[1], nodes[3]);
        AssertNobodyGoes(nodes);
    }

    [Fact]
    public void AMemberThatMostOthersNameGoesThoughItSaysNothing()
    {
        WorldNode[] nodes = _world.Found(5);
        foreach (int index in (int[])[0, 1, 2]) Accuse(nodes[index], nodes[3]);
        AssertGone(nodes, 3);
    }

    [Fact]
    public void ASenderThatStillWaitsHasNobodyRemoved()
    {
        WorldNode[] nodes = _world.Found(4);
        Accuse(nodes[0], nodes[3], heldFor: 0);
        Admit(nodes[3]);
        AssertNobodyGoes(nodes);
    }

    [Fact]
    public void TheOnlyReceiverIsWaitedFor()
    {
        WorldNode[] nodes = _world.Found(2);
        Accuse(nodes[0], nodes[1]);
        Admit(nodes[1], isHandling: true);
        AssertNobodyGoes(nodes);
    }

    [Fact]
    public void WhereAsManyAreBehindAsKeepUpNobodyGoes()
    {
        WorldNode[] nodes = _world.Found(4);
        Accuse(nodes[0], nodes[3], nodes[2]);
        Admit(nodes[2]);
        Admit(nodes[3]);
        AssertNobodyGoes(nodes);
    }

    [Fact]
    public void AMemberWhoseHandlersAreSlowGoesWhileOneOtherKeepsUp()
    {
        WorldNode[] nodes = _world.Found(4);
        Accuse(nodes[0], nodes[3], nodes[2]);
        Admit(nodes[2]);
        Admit(nodes[3], isHandling: true);
        AssertGone(nodes, 3);
    }

    [Fact]
    public void WhereTheHandlersOfAllOthersTakeTheirTimeNobodyGoes()
    {
        WorldNode[] nodes = _world.Found(4);
        Accuse(nodes[0], nodes[3]);
        Admit(nodes[3], isHandling: true);
        foreach (int index in (int[])[1, 2])
            nodes[index].Observing = static (observed, _) => observed.IsHandling = true;
        AssertNobodyGoes(nodes);
    }

    [Fact]
    public void OfTwoTheOneFurthestBehindGoesFirst()
    {
        WorldNode[] nodes = _world.Found(6);
        Accuse(nodes[0], nodes[4], nodes[3]);
        Admit(nodes[3]);
        Admit(nodes[4]);
        AssertGone(nodes, 4);
    }

    // The sender's times begin again when a member is gone: here it then says nothing more.
    private void AssertGone(WorldNode[] nodes, int gone)
    {
        _world.Run(5 * Second);
        Assert.Equal(MembershipRefusal.TooSlow, nodes[gone].Expelled);
        Assert.Equal(nodes.Length - 1, nodes.Count(static node => node.IsLive));
    }

    private void AssertNobodyGoes(WorldNode[] nodes)
    {
        _world.Run(60 * Second);
        Assert.All(nodes, static node => Assert.True(node.IsLive));
    }

    private static void Accuse(WorldNode sender, params WorldNode[] accused) => Accuse(sender, accused, 5);

    private static void Accuse(WorldNode sender, WorldNode accused, double heldFor) =>
        Accuse(sender, [accused], heldFor);

    // From the third heartbeat on: all have said by then whether they are behind.
    private static void Accuse(WorldNode sender, WorldNode[] accused, double heldFor)
    {
        int heartbeats = 0;
        sender.Observing = (observed, _) =>
        {
            if (++heartbeats < 3 || !accused.All(static one => one.IsLive)) return;
            for (int index = 0; index < accused.Length; index++)
            {
                ulong key = accused[index].Agent.Cluster.Self!.Number.Key;
                observed.Slow.Add(new SlowMember(key, (ulong)(100 - index), heldFor * Second));
            }
        };
    }

    private static void Admit(WorldNode node, bool isHandling = false) =>
        node.Observing = (observed, _) =>
        {
            observed.BehindFor = 3 * Second;
            observed.IsHandling = isHandling;
        };
}
