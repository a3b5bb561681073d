using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>What the stack does for every mode of groups, seen with the least engine there can be.</summary>
public sealed class ModeEngineTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly StackWorld _world = new(4);
    private readonly List<PlainEngine> _engines = [];

    public ModeEngineTests()
    {
        foreach (StackNode node in _world.Nodes)
        {
            node.Stack.Rooms.MakeEngineInTests = (_, context) =>
            {
                var engine = new PlainEngine(context);
                _engines.Add(engine);
                return engine;
            };
        }
    }

    [Fact]
    public void MessagesOfAModesGroupGoThroughItsEngineToMembersAndTheSender()
    {
        JoinAll(GroupModes.Lateral, "fast");
        JoinAll(GroupModes.Reliable, "news");
        for (int index = 0; index < 20; index++)
        {
            _world.Nodes[1].Say("fast", $"f{index}");
            _world.Nodes[1].Say("news", $"n{index}");
        }
        _world.RunFor(Second);

        Assert.All(_world.Nodes, static node =>
        {
            Assert.Equal(20, node.Heard.Count(static line => line.StartsWith("fast/n1/")));
            Assert.Equal(20, node.Heard.Count(static line => line.StartsWith("news/n1/")));
        });
        Assert.Equal(0, _world.Nodes[1].Stack.FindGroup("fast")!.PendingMessages);
        Assert.Equal(20UL, _world.Nodes[1].Stack.FindGroup("fast")!.Sender.LastNumber);
    }

    [Fact]
    public void TheUsersLimitOnPacketsHoldsForEveryMode()
    {
        const int Burst = 50;
        var limited = new StackWorld(2, new RateSettings { Initial = 100, Max = 100 });
        foreach (StackNode node in limited.Nodes)
            node.Stack.Rooms.MakeEngineInTests = static (_, context) => new PlainEngine(context);
        foreach (StackNode node in limited.Nodes) node.Join(GroupModes.Lateral, "fast");
        limited.RunFor(4 * Second);
        for (int index = 0; index < 1000; index++) limited.Nodes[0].Say("fast", $"m{index}");
        limited.RunFor(Second);
        Assert.InRange(limited.Nodes[1].Heard.Count, Burst + 99, Burst + 101);
        limited.RunFor(9 * Second);
        Assert.Equal(1000, limited.Nodes[1].Heard.Count);
        Assert.Equal(0, limited.Nodes[0].Stack.FindGroup("fast")!.PendingMessages);
    }

    [Fact]
    public void ANodeWithoutGroupsOfAModeHasNoEngine()
    {
        JoinAll(GroupModes.Reliable, "news");
        _world.Nodes[0].Say("news", "m");
        _world.RunFor(Second);

        Assert.Empty(_engines);
        Assert.Null(_world.Nodes[0].Stack.Rooms.Modes.Find(GroupModes.Lateral));
    }

    [Fact]
    public void AJoinWithAnotherModeIsToldTheGroupsMode()
    {
        _world.Nodes[0].Join(GroupModes.Lateral, "fast");
        _world.Nodes[1].Join(GroupModes.Reliable, "news");
        _world.RunFor(4 * Second);
        _world.Nodes[2].Join(GroupModes.Reliable, "fast");
        _world.Nodes[3].Publish(GroupModes.Timed, "fast");
        _world.Nodes[2].Join(GroupModes.Timed, "news");
        _world.RunFor(4 * Second);

        Assert.Equal([MembershipRefusal.GroupIsLateral, MembershipRefusal.GroupIsReliable], _world.Nodes[2].Refusals);
        Assert.Equal([MembershipRefusal.GroupIsLateral], _world.Nodes[3].Refusals);
    }

    [Fact]
    public void APublisherSendsWithoutReceiving()
    {
        _world.Nodes[0].Join(GroupModes.Lateral, "fast");
        _world.Nodes[3].Publish(GroupModes.Lateral, "fast");
        _world.RunFor(4 * Second);
        _world.Nodes[3].Say("fast", "m");
        _world.RunFor(Second);

        Assert.Equal(["fast/n3/1: m"], _world.Nodes[0].Heard);
        Assert.Empty(_world.Nodes[3].Heard);
    }

    [Fact]
    public void AnEngineIsToldOfSessionsStepsAndRemovals()
    {
        JoinAll(GroupModes.Lateral, "fast");
        _world.Nodes[0].Leave("fast");
        _world.RunFor(4 * Second);
        Assert.Null(_world.Nodes[0].Stack.FindGroup("fast"));

        Assert.All(_engines, static engine => Assert.Contains("open fast", engine.Events));
        Assert.Single(_engines, static engine => engine.Events.Contains("close fast"));
        Assert.All(_engines, static engine => Assert.Contains("activated", engine.Events));
    }

    [Fact]
    public void FromALeaveOnNothingIsTaken()
    {
        JoinAll(GroupModes.Lateral, "fast");
        _world.Nodes[0].Say("fast", "before");
        _world.RunFor(Second);
        _world.Nodes[0].Leave("fast");
        _world.Nodes[0].Say("fast", "too late");
        _world.Nodes[1].Say("fast", "in time");
        _world.RunFor(5 * Second);

        Assert.Equal(["fast/n0/1: before", "fast/n1/1: in time"], _world.Nodes[2].Heard);
    }

    [Fact]
    public void ADatagramOfAModeMustComeFromItsSenderAtItsSocket()
    {
        JoinAll(GroupModes.Lateral, "fast");
        _world.Nodes[1].Say("fast", "m");
        _world.RunFor(Second);
        byte[] datagram = _world.LastSent[DatagramKind.LateralData];
        StackNode node = _world.Nodes[0];
        int heard = node.Heard.Count;
        node.Take(datagram, QuickSilver.Protocol.Core.SocketRole.Unicast, new NetEndpoint(0x7F000001, 9));
        node.Take(datagram, QuickSilver.Protocol.Core.SocketRole.Control);

        Assert.Equal(heard, node.Heard.Count);
        Assert.Equal(1UL, node.Stack.Counters.Rejected[RejectReason.WrongSource]);
        Assert.Equal(1UL, node.Stack.Counters.Rejected[RejectReason.WrongSocket]);
    }

    private void JoinAll(byte mode, string name)
    {
        foreach (StackNode node in _world.Nodes) node.Join(mode, name);
        _world.RunFor(4 * Second);
        Assert.All(_world.Nodes, node => Assert.NotNull(node.Stack.FindGroup(name)));
    }
}
