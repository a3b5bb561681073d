using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

public sealed class NodeStackTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void EveryMemberHearsASendersMessagesInOrderItselfIncluded()
    {
        var world = new StackWorld(4);
        world.JoinAll("news", "sport");
        for (int index = 1; index <= 50; index++) world.Nodes[1].Say(index % 2 == 0 ? "news" : "sport", $"m{index}");
        world.RunFor(Second);

        Assert.All(world.Nodes, node => Assert.Equal(50, node.Heard.Count));
        IEnumerable<string> heard = world.Nodes[1].Heard.Where(line => line.StartsWith("news"));
        Assert.All(world.Nodes, node => Assert.Equal(heard, node.Heard.Where(line => line.StartsWith("news"))));
        Assert.Equal("sport/n1/1: m1", world.Nodes[3].Heard[0]);
    }

    [Theory]
    [InlineData(60, 1)]
    [InlineData(30, 0)]
    public void ATrainThatFillsItsBufferIsKeptWhereItLiesInExchangeForAnother(int messages, int kept)
    {
        var world = new StackWorld(2);
        world.JoinAll("news");
        string[] texts = [
            .. Enumerable.Range(0, messages).Select(static number => new string((char)('a' + (number % 26)), 1000))];
        foreach (string text in texts) world.Nodes[0].Say("news", text);
        world.RunFor(Second);

        Assert.Equal(texts.Select(static (text, index) => $"news/n0/{index + 1}: {text}"), world.Nodes[1].Heard);
        Assert.Equal(kept, world.Nodes[1].KeptReads);
        world.Nodes[1].Stack.Shutdown(world.Now);
        Assert.Equal(0, world.Nodes[1].Pool.OutstandingChunks);
    }

    [Fact]
    public void AHandlerThatAnswersIsNotReEntered()
    {
        var world = new StackWorld(2);
        world.JoinAll("news");
        int depth = 0, deepest = 0, answers = 0;
        world.Nodes[1].OnHeard = group =>
        {
            depth++;
            deepest = Math.Max(deepest, depth);
            if (answers++ < 20) world.Nodes[1].Say("news", "answer");
            depth--;
        };
        world.Nodes[0].Say("news", "question");
        world.RunFor(Second);

        Assert.Equal(1, deepest);
        Assert.Equal(21, world.Nodes[0].Heard.Count);
    }

    [Fact]
    public void FromALeaveOnNothingIsTakenFromTheGroupsSources()
    {
        var world = new StackWorld(2);
        world.JoinAll("news");
        world.Nodes[0].Say("news", "before");
        world.RunFor(Second);
        world.Nodes[0].Leave("news");
        world.Nodes[0].Say("news", "too late");
        world.RunFor(5 * Second);
        Assert.Null(world.Nodes[0].Stack.FindGroup("news"));
        world.Nodes[0].Join("news");
        world.RunFor(5 * Second);
        world.Nodes[0].Say("news", "again");
        world.RunFor(Second);

        Assert.Equal(["news/n0/1: before", "news/n0/2: again"], world.Nodes[1].Heard);
    }

    [Fact]
    public void AnIdleNodeSendsNothingButHeartbeats()
    {
        var world = new StackWorld(3);
        world.JoinAll("news");
        world.Nodes[0].Say("news", "once");
        world.RunFor(5 * Second);
        ulong[] before = [.. world.Nodes.Select(node => node.Stack.Rooms.Roots.Counters.TotalBytes)];
        world.RunFor(60 * Second);

        Assert.Equal(before, world.Nodes.Select(node => node.Stack.Rooms.Roots.Counters.TotalBytes));
    }

    [Fact]
    public void WhomAMessageWaitsForIsNamedAndWhoDoesNotAnswerComesFirst()
    {
        var world = new StackWorld(4);
        world.JoinAll("news", "sport");
        StackNode sender = world.Nodes[0];
        LocalGroup news = sender.Stack.FindGroup("news")!;
        Assert.Empty(sender.Stack.FindAwaited(news, null, world.Now).Silent);
        Assert.Empty(sender.Stack.FindAwaited(news, null, world.Now).Others);
        world.Nodes[3].IsDeaf = true;
        sender.Say("news", "anybody there?");
        world.RunFor(Second);

        AwaitedMembers awaited = sender.Stack.FindAwaited(news, null, world.Now);
        Assert.Equal([("n3", LagCause.Silent)], awaited.Behind.Select(lag => (lag.Member.Name, lag.Cause)));
        Assert.Empty(awaited.Silent);
        Assert.Equal(["n1", "n2"], awaited.Others.Select(node => node.Name).Order());
        Assert.False(awaited.WaitsForStep);
        AwaitedMembers other = sender.Stack.FindAwaited(sender.Stack.FindGroup("sport")!, null, world.Now);
        Assert.Empty(other.Silent);
        Assert.Empty(other.Others);

        world.Nodes[3].IsDeaf = false;
        world.RunFor(5 * Second);
        awaited = sender.Stack.FindAwaited(news, null, world.Now);
        Assert.Empty(awaited.Silent);
        Assert.Empty(awaited.Others);
    }

    [Fact]
    public void ShutdownGivesEveryBufferBack()
    {
        var world = new StackWorld(3);
        world.JoinAll("news");
        for (int index = 0; index < 100; index++)
            world.Nodes[index % 3].Say("news", new string('x', 500 + (index * 40)));
        foreach (StackNode node in world.Nodes) node.Stack.Shutdown(world.Now);

        Assert.All(world.Nodes, node => Assert.Equal(0, node.Pool.OutstandingChunks));
        Assert.All(world.Nodes, node => Assert.Equal(0, node.Alarms.Count));
    }
}
