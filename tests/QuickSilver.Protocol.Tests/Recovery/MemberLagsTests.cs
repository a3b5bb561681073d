using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Recovery;

public sealed class MemberLagsTests
{
    private static readonly Instant Start = Instant.Zero + TimeSpan.FromSeconds(100);

    private readonly AlarmQueue _alarms = new();
    private readonly RegionView _view = new RingWorld(5).View;
    private readonly RegionView _other = new RingWorld(5).View;
    private readonly List<string> _told = [];
    private readonly MemberLags _lags;
    private Instant _now = Start;

    public MemberLagsTests() => _lags = new MemberLags(_alarms, now => _told.Add(Text(now)));

    [Fact]
    public void WhoIsNamedForASecondHoldsUpSinceTheFirstTime()
    {
        Rounds(1_100, new LagEntry(2, LagCause.ReadingSlowly, 30));
        LaggingMember lag = Assert.Single(_lags.Collect(_now));
        Assert.Equal(
            (_view.Members[2], LagCause.ReadingSlowly, 30ul, true), (lag.Member, lag.Cause, lag.Packets, lag.HoldsUp));
        Assert.Equal(Start, lag.Since);
        Assert.Equal((1, Start), (_lags.HoldingUp, _lags.HeldUpSince));
    }

    [Fact]
    public void WhoIsStoppedNineTenthsOfTheTimeIsOneCaseAndItsSilenceExplainsIt()
    {
        for (int second = 0; second < 10; second++)
        {
            Rounds(700, new LagEntry(2, LagCause.Silent, 30));
            Rounds(200, new LagEntry(2, LagCause.ReadingSlowly, 40));
            Rounds(100);
        }
        LaggingMember lag = Assert.Single(_lags.Collect(_now));
        Assert.Equal((LagCause.Silent, true, Start), (lag.Cause, lag.HoldsUp, lag.Since));
        Assert.Equal(["2"], _told);
    }

    [Fact]
    public void TheTimeThatATokenWaitedForAMemberCountsOnceThoughNoRoundEndedMeanwhile()
    {
        for (int second = 0; second < 3; second++)
        {
            Pass(TimeSpan.FromMilliseconds(850));
            var late = new LagEntry(2, LagCause.Silent, 0, 850);
            Note(_view, late);
            if (second == 0) Assert.Equal(0, _lags.HoldingUp);
            Note(_view, late);
            if (second == 0) Assert.Equal(0, _lags.HoldingUp);
            Rounds(150);
        }
        Assert.Equal(["2"], _told);
        Assert.Equal(Start, Assert.Single(_lags.Collect(_now)).Since);
    }

    [Fact]
    public void WhoIsLateNowAndThenHoldsNothingUp()
    {
        for (int second = 0; second < 20; second++)
        {
            Rounds(300, new LagEntry(2, LagCause.Losing, 1));
            Rounds(700);
        }
        Assert.Empty(_told);
        Assert.Equal(0, _lags.HoldingUp);
        Assert.Empty(_lags.Collect(_now));
    }

    [Fact]
    public void WhoHasCaughtUpIsToldOfAndForgotten()
    {
        Rounds(2_000, new LagEntry(2, LagCause.Losing, 30), new LagEntry(3, LagCause.Silent, 30));
        Rounds(4_000, new LagEntry(3, LagCause.Silent, 30));
        Assert.Equal(["2 3", "3"], _told);
        Rounds(4_000);
        Assert.Equal(["2 3", "3", ""], _told);
        Assert.Equal((0, Instant.Never), (_lags.HoldingUp, _lags.HeldUpSince));
        Pass(TimeSpan.FromMinutes(1));
        Assert.Equal(Instant.Never, _alarms.NextDue);
    }

    [Fact]
    public void RoundsThatStopSayNothingMore()
    {
        Rounds(2_000, new LagEntry(2, LagCause.Losing, 30));
        Pass(TimeSpan.FromSeconds(10));
        Assert.Equal(["2", ""], _told);
        Assert.Empty(_lags.Collect(_now));
    }

    [Fact]
    public void TimeIsCountedForTheMemberWhateverTheView()
    {
        for (int round = 0; round < 120; round++)
        {
            Note(round % 2 == 0 ? _view : _other, new LagEntry(2, LagCause.Silent, (ulong)round));
            Pass(TimeSpan.FromMilliseconds(10));
        }
        LaggingMember lag = Assert.Single(_lags.Collect(_now));
        Assert.Equal((true, 119ul, 2), (lag.HoldsUp, lag.Packets, lag.Views.Count));
    }

    [Fact]
    public void AMemberThatSaysItsHandlersAreSlowIsNotCalledSilent()
    {
        Rounds(1_000, new LagEntry(2, LagCause.Handling, 30));
        Rounds(500, new LagEntry(2, LagCause.Silent, 30));
        Assert.Equal(LagCause.Handling, Assert.Single(_lags.Collect(_now)).Cause);
    }

    [Fact]
    public void OnlyAMemberThatNearlyEveryRoundNamesIsBehindSteadily()
    {
        for (int count = 0; count < 20; count++)
        {
            Rounds(300, new LagEntry(2, LagCause.ReadingSlowly, 30), new LagEntry(3, LagCause.ReadingSlowly, 30));
            Rounds(200, new LagEntry(3, LagCause.ReadingSlowly, 30));
        }
        List<LaggingMember> lags = _lags.Collect(_now);
        Assert.Equal([3], lags.Where(static lag => lag.IsSteady).Select(IndexOf));
        Assert.Contains(2, lags.Where(static lag => lag.HoldsUp).Select(IndexOf));

        int IndexOf(LaggingMember lag) => Array.IndexOf(_view.Members, lag.Member);
    }

    /// <summary>Tokens are lost where packets are: who loses packets in each round is not heard in some.</summary>
    [Fact]
    public void AMemberThatLosesPacketsIsNotBehindSteadilyThoughItIsNotHeardInSomeRounds()
    {
        for (int count = 0; count < 20; count++)
        {
            Rounds(50, new LagEntry(2, LagCause.Silent, 30));
            Rounds(250, new LagEntry(2, LagCause.Losing, 30));
            LaggingMember lag = Assert.Single(_lags.Collect(_now));
            Assert.Equal((LagCause.Silent, false), (lag.Cause, lag.IsSteady));
        }
        Assert.Equal(["2"], _told);
    }

    /// <summary>A large region with losses: rounds take longer than a second, and acknowledgements tell each once
    /// more.</summary>
    [Fact]
    public void ALongRoundInWhichAMemberAnsweredEndsItsSteadyLag()
    {
        for (int round = 0; round < 40; round++)
        {
            LagEntry[] behind = round % 8 == 0 ? [new LagEntry(2, LagCause.Silent, 3)] : [];
            Note(_view, behind);
            Pass(TimeSpan.FromMilliseconds(70));
            Note(_view, behind);
            if (behind.Length == 0) Assert.DoesNotContain(_lags.Collect(_now), static lag => lag.IsSteady);
            Pass(TimeSpan.FromMilliseconds(1_130));
        }
    }

    [Fact]
    public void AMemberThatNoLongRoundHearsIsBehindSteadily()
    {
        for (int round = 0; round < 5; round++)
        {
            Note(_view, new LagEntry(2, LagCause.Silent, 3));
            Pass(TimeSpan.FromMilliseconds(1_200));
        }
        Assert.True(Assert.Single(_lags.Collect(_now)).IsSteady);
    }

    [Fact]
    public void TheSlowestComesFirst()
    {
        Rounds(500, new LagEntry(4, LagCause.Losing, 1));
        Rounds(
            2_000, new LagEntry(1, LagCause.Losing, 5), new LagEntry(3, LagCause.Losing, 9),
            new LagEntry(4, LagCause.Losing, 1));
        Rounds(
            100, new LagEntry(0, LagCause.Silent, 99), new LagEntry(1, LagCause.Losing, 5),
            new LagEntry(3, LagCause.Losing, 9));
        Assert.Equal([3, 1, 4, 0], _lags.Collect(_now).Select(lag => Array.IndexOf(_view.Members, lag.Member)));
    }

    private void Rounds(int milliseconds, params LagEntry[] behind)
    {
        for (int passed = 0; passed < milliseconds; passed += 10)
        {
            Note(_view, behind);
            Pass(TimeSpan.FromMilliseconds(10));
        }
    }

    private void Note(RegionView view, params LagEntry[] behind)
    {
        var list = new LagList();
        foreach (LagEntry entry in behind) list.Add(entry);
        _lags.Note(view, list, _now);
    }

    private void Pass(TimeSpan time)
    {
        Instant until = _now + time;
        while (_alarms.NextDue <= until)
        {
            _now = _alarms.NextDue;
            _alarms.FireNext(_now);
        }
        _now = until;
    }

    private string Text(Instant now) =>
        string.Join(
            ' ',
            _lags.Collect(now).Where(static lag => lag.HoldsUp).Select(lag => Array.IndexOf(_view.Members, lag.Member))
                .Order());
}
