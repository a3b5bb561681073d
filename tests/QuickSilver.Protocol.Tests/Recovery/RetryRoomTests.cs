using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Repairs;

namespace QuickSilver.Protocol.Tests.Recovery;

public class RetryRoomTests
{
    private static readonly Instant Start = new(TimeSpan.TicksPerSecond);

    [Fact]
    public void WhatIsAskedForInVainLeavesRoomForAFewOnly()
    {
        var room = new RetryRoom();
        room.OnAsked(1_000, isRetry: true, Start);
        Assert.Equal(1_048, room.Packets);
        room.OnAsked(5_000, isRetry: true, Start);
        Assert.Equal(16, room.Packets);
        for (int answer = 0; answer < 16; answer++) room.OnAnswer();
        Assert.Equal(48, room.Packets);
    }

    [Fact]
    public void WithoutAnyAnswerForTwoSecondsAllIsInVain()
    {
        var room = new RetryRoom();
        room.OnAsked(1, isRetry: false, Start);
        Assert.False(room.IsVain(Start + TimeSpan.FromSeconds(1.9)));
        Assert.True(room.IsVain(Start + TimeSpan.FromSeconds(2)));
        room.OnAsked(1, isRetry: false, Start + TimeSpan.FromSeconds(2));
        Assert.Equal(16, room.Packets);
        room.OnAnswer();
        Assert.False(room.IsVain(Start + TimeSpan.FromSeconds(10)));
    }
}
