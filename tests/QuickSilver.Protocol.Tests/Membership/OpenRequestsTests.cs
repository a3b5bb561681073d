using QuickSilver.Protocol.Membership.Agent;
using Xunit;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Requests that no step contains yet keep their order, whatever is answered first.</summary>
public sealed class OpenRequestsTests
{
    [Fact]
    public void WhatIsLeftKeepsItsOrder()
    {
        var open = new OpenRequests();
        for (int number = 0; number < 200; number++) open.Add(Join($"g{number}"));
        for (int number = 0; number < 200; number++)
        {
            if (number % 7 != 3) open.RemoveJoin($"g{number}");
        }
        open.Trim();
        open.Add(Leave(5));

        List<AgentRequest> rest = [Join("new")];
        open.MoveTo(rest);

        IEnumerable<string?> names = Enumerable.Range(0, 200).Where(number => number % 7 == 3).Select(n => $"g{n}");
        Assert.Equal([.. names, null, "new"], rest.Select(request => request.Name));
    }

    [Fact]
    public void AnAnswerTakesTheOldestJoinOfAName()
    {
        var open = new OpenRequests();
        open.Add(Join("a", 1));
        open.Add(Join("a", 2));
        open.Add(Join("a", 3));

        open.RemoveJoin("a");

        List<AgentRequest> rest = [];
        open.MoveTo(rest);
        Assert.Equal([Join("a", 2), Join("a", 3)], rest);
    }

    [Fact]
    public void ALeaveAnswersTheJoinsBeforeIt()
    {
        var open = new OpenRequests();
        open.Add(Join("a", 1));
        open.Add(Leave(9));
        open.Add(Join("a", 2));

        open.RemoveLeave(9, "a");
        open.RemoveLeave(8, "a");

        List<AgentRequest> rest = [];
        open.MoveTo(rest);
        Assert.Equal([Join("a", 2)], rest);
    }

    private static AgentRequest Join(string name, byte mode = 0) => new(name, mode, 0);

    private static AgentRequest Leave(uint group) => new(null, 0, group);
}
