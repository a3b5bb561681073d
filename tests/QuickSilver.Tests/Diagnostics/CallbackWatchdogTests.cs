using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Diagnostics;

namespace QuickSilver.Tests.Diagnostics;

public sealed class CallbackWatchdogTests : IDisposable
{
    private readonly List<(LoopPhase Phase, TimeSpan Took, string Group)> _stalls = [];
    private readonly CallbackWatchdog _watch;

    public CallbackWatchdogTests()
    {
        var log = new NodeLog(NullLoggerFactory.Instance, "node");
        _watch = new CallbackWatchdog(TimeSpan.FromMilliseconds(250), log, new NodeEventQueue(log, static _ => { }))
        {
            Stalled = (phase, took, group) => _stalls.Add((phase, took, group)),
        };
    }

    public void Dispose() => _watch.Dispose();

    [Fact]
    public void A_slow_call_is_told_when_it_has_come_back_if_it_is_the_first_of_a_turn()
    {
        Call("slow", milliseconds: 400);
        Assert.Equal(("slow", LoopPhase.MessageHandler), (Assert.Single(_stalls).Group, _stalls[0].Phase));
        Assert.InRange(_stalls[0].Took, TimeSpan.FromMilliseconds(300), TimeSpan.FromSeconds(30));
    }

    [Theory]
    [InlineData(3, 5)]
    [InlineData(3, 40)]
    [InlineData(1, 2)]
    public void A_slow_call_among_quick_ones_is_told_once_the_turn_ends_at_the_latest(int before, int after)
    {
        for (int index = 0; index < before; index++) Call("group");
        Call("group", milliseconds: 400);
        for (int index = 0; index < after; index++) Call("group");
        _watch.EndRun();
        Assert.Equal("group", Assert.Single(_stalls).Group);
    }

    [Fact]
    public void A_slow_call_is_told_under_its_own_group_when_others_follow()
    {
        Call("first");
        Call("first", milliseconds: 400);
        Call("second");
        _watch.EndRun();
        Assert.Equal("first", Assert.Single(_stalls).Group);
    }

    [Fact]
    public void Time_between_turns_counts_for_nobody()
    {
        Call("group");
        Call("group");
        _watch.EndRun();
        Thread.Sleep(400);
        Call("group");
        Call("group");
        _watch.EndRun();
        Assert.Empty(_stalls);
    }

    [Fact]
    public void What_the_core_is_in_can_be_asked_from_outside()
    {
        Assert.Equal("no handler or feed", _watch.Present);
        _watch.Enter(LoopPhase.Feed, "ticks");
        Assert.Equal("Feed of 'ticks'", _watch.Present);
        _watch.Leave();
        Assert.Equal("no handler or feed", _watch.Present);
    }

    private void Call(string group, int milliseconds = 0)
    {
        _watch.Enter(LoopPhase.MessageHandler, group);
        if (milliseconds > 0) Thread.Sleep(milliseconds);
        _watch.Leave();
    }
}
