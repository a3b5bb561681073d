using System.Globalization;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;
using QuickSilver.Security;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Membership;

/// <summary>What strangers make a host report: once a minute for each address and kind, and never without
/// limit.</summary>
public sealed class ReportPaceTests
{
    private readonly TestHost _events = new();

    [Fact]
    public void Each_address_and_kind_is_reported_once_a_minute()
    {
        var pace = new ReportPace();
        var other = IPAddress.Parse("192.0.2.1");
        Assert.True(pace.Allows(IPAddress.Loopback, FrameEnd.Silent, 5));
        Assert.False(pace.Allows(IPAddress.Loopback, FrameEnd.Silent, 60_004));
        Assert.True(pace.Allows(IPAddress.Loopback, MembershipRefusal.BadFrame, 6));
        Assert.True(pace.Allows(other, FrameEnd.Silent, 7));
        Assert.True(pace.Allows(IPAddress.Loopback, FrameEnd.Silent, 60_005));
    }

    [Fact]
    public void Strangers_with_many_addresses_get_no_more_reports_than_a_few()
    {
        var pace = new ReportPace();
        int reports = Enumerable.Range(0, 10_000).Count(
            index => pace.Allows(new IPAddress(0x0100_007F + ((long)index << 8)), FrameEnd.Silent, 1));
        Assert.Equal(ReportPace.MostReports, reports);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_check_that_connects_and_sends_nothing_is_counted_and_no_warning(bool resets)
    {
        await using MembershipHost host = _events.Start(
            TestHost.Settings with { Security = TestKeys.Channel(TestKeys.NewText()) });
        for (int index = 0; index < 5; index++)
        {
            using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await probe.ConnectAsync(host.EndPoint);
            if (resets) probe.LingerState = new LingerOption(true, 0);
        }
        await NodeRig.UntilAsync(() => host.Counters.FailedFor(HandshakeFault.Probe) == 5, "all are counted");
        await NodeRig.UntilAsync(() => _events.Probes > 0, "one is told");
        Assert.Equal(1, _events.Probes);
        Assert.Empty(_events.Unauthenticated);
        Assert.Empty(_events.Dropped);
    }
}
