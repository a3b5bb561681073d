using System.Net;
using QuickSilver.Membership;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>Limits that count turns, and whose the listeners of a machine are.</summary>
public sealed class TurnLimitTests
{
    [Fact]
    public async Task Time_in_which_the_process_got_no_turn_does_not_count()
    {
        int turns = 0;
        // Each turn of 100 ms comes as late as the test likes.
        var turn = new SemaphoreSlim(0);
        using var limit = new TurnLimit(TimeSpan.FromSeconds(1), default, async (_, stop) =>
        {
            Interlocked.Increment(ref turns);
            await turn.WaitAsync(stop);
        });
        await NodeRig.UntilAsync(() => Volatile.Read(ref turns) == 1, "it waits for its first turn");
        turn.Release(9);
        await NodeRig.UntilAsync(() => Volatile.Read(ref turns) == 10, "nine have passed");
        Assert.False(limit.Token.IsCancellationRequested);
        turn.Release();
        await NodeRig.UntilAsync(() => limit.Token.IsCancellationRequested, "the tenth ends it");
    }

    [Fact]
    public async Task It_ends_with_what_it_limits()
    {
        using var stop = new CancellationTokenSource();
        CancellationToken token;
        using (var limit = new TurnLimit(TimeSpan.FromMinutes(1), stop.Token))
        {
            token = limit.Token;
            Assert.Equal("within 60 s", limit.Describe());
        }
        Assert.True(token.IsCancellationRequested);
        using var stopped = new TurnLimit(TimeSpan.FromMinutes(1), stop.Token);
        await stop.CancelAsync();
        Assert.True(stopped.Token.IsCancellationRequested);
    }

    [Fact]
    public void A_listener_is_found_in_the_tables_of_the_kernel()
    {
        Assert.SkipUnless(BitConverter.IsLittleEndian, "the table is written as the machine stores numbers");
        const string Head =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        const string Rest = "00000000:00000000 00:00000000 00000000";
        const string Nobody = "00000000000000000000000000000000";
        const string Table = Head
            + $"   0: 0100007F:3A97 00000000:0000 0A {Rest}  1001        0 4242 1 0 100\n"
            + $"   1: 0100007F:3A97 0100007F:C000 01 {Rest}  1002        0 4243 1 0 100\n"
            + $"   2: 00000000:3A96 00000000:0000 0A {Rest}     0        0 4244 1 0 100\n";
        const string Table6 = Head
            + $"   0: {Nobody}:3A95 {Nobody}:0000 0A {Rest}  1003        0 4245 1 0 100\n";
        Assert.Equal(new LocalListener(1001, 4242), Find(14_999));
        Assert.Equal(new LocalListener(0, 4244), Find(14_998));
        Assert.Equal(new LocalListener(1003, 4245), Find(14_997));
        Assert.Null(Find(14_996));
        Assert.Null(LocalListener.Find(new IPEndPoint(IPAddress.Loopback, 14_999), "", "nonsense : 0A"));

        static LocalListener? Find(int port) =>
            LocalListener.Find(new IPEndPoint(IPAddress.Loopback, port), Table, Table6);
    }

    [Fact]
    public async Task Who_listens_here_is_this_user()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the table is that of Linux");
        var events = new TestHost();
        await using MembershipHost host = events.Start();
        LocalListener found = Assert.NotNull(LocalListener.Find(host.EndPoint));
        Assert.False(found.IsOthers);
    }
}
