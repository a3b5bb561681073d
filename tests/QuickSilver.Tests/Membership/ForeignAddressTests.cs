using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>
/// The attack in which a node asks others to send to somebody else: it registers with an endpoint that is not its own,
/// and all members flood that.
/// </summary>
public sealed class ForeignAddressTests
{
    private static readonly NetEndpoint Own = new(0x7F000001, 5_000);
    private readonly TestHost _events = new();

    [Theory]
    [InlineData(0x0A000001u, 9)]
    [InlineData(0xC0000201u, 53)]
    [InlineData(0xEFC04201u, 15_000)]
    [InlineData(0xFFFFFFFFu, 9)]
    [InlineData(0u, 9)]
    public async Task A_registration_with_anothers_data_endpoint_is_refused_with_its_reason_and_counted(
        uint address, int port)
    {
        await using MembershipHost host = _events.Start();
        var foreign = new NetEndpoint(address, (ushort)port);
        Assert.Equal(MembershipRefusal.ForeignAddress, await RegisterAsync(host, Own, foreign));
        // The host answers before it counts, and counts before it tells.
        await NodeRig.UntilAsync(() => _events.Refused.Count > 0, "the host tells");
        Assert.Equal(1, host.Counters.RefusedFor(MembershipRefusal.ForeignAddress));
        Assert.Single(_events.Refused, MembershipRefusal.ForeignAddress);
        if (address != 0) Assert.Equal(MembershipRefusal.ForeignAddress, await RegisterAsync(host, foreign, Own));
        Assert.Null(await RegisterAsync(host, Own, Own with { Port = 5_001 }));
    }

    [Fact]
    public async Task Networks_that_the_operator_allows_may_be_named_but_not_their_broadcast_address()
    {
        MembershipHostSettings settings = TestHost.Settings with { AllowedNetworks = [IPNetwork.Parse("10.1.2.0/24")] };
        await using MembershipHost host = _events.Start(settings);
        Assert.Null(await RegisterAsync(host, new NetEndpoint(0x0A010203, 5_000), new NetEndpoint(0x0A010203, 5_001)));
        Assert.Equal(
            MembershipRefusal.ForeignAddress,
            await RegisterAsync(host, new NetEndpoint(0x0A010204, 5_000), new NetEndpoint(0x0A0102FF, 5_001)));
        Assert.Equal(
            MembershipRefusal.ForeignAddress,
            await RegisterAsync(host, new NetEndpoint(0x0A010204, 5_000), new NetEndpoint(0x0A010304, 5_001)));
    }

    [Fact]
    public void A_loopback_connection_speaks_for_this_machine_and_for_loopback_alone_where_the_host_listens_there()
    {
        MembershipHostSettings onAll = TestHost.Settings with { EndPoint = new IPEndPoint(IPAddress.Any, 0) };
        foreach (MembershipHostSettings settings in new[] { TestHost.Settings, onAll })
        {
            var rule = new AddressRule(settings);
            Assert.True(rule.MayName(IPAddress.Loopback, Own));
            Assert.True(rule.MayName(IPAddress.Loopback, Own with { Address = 0x7F010203 }));
            Assert.False(rule.MayName(IPAddress.Loopback, new NetEndpoint(0xC0000201, 5_000)));
            Assert.False(rule.MayName(IPAddress.Parse("192.0.2.1"), Own));
            Assert.True(rule.MayName(IPAddress.Parse("192.0.2.1"), new NetEndpoint(0xC0000201, 5_000)));
            Assert.False(rule.MayName(null, Own));
        }
        IPAddress? machine = Dns.GetHostAddresses(Dns.GetHostName(), AddressFamily.InterNetwork)
            .FirstOrDefault(static one => !IPAddress.IsLoopback(one));
        if (machine is null) return;
        var own = new NetEndpoint(BinaryPrimitives.ReadUInt32BigEndian(machine.GetAddressBytes()), 5_000);
        Assert.True(new AddressRule(onAll).MayName(IPAddress.Loopback, own));
        Assert.False(new AddressRule(TestHost.Settings).MayName(IPAddress.Loopback, own));
    }

    // What the host answers: null for a welcome.
    private static async Task<MembershipRefusal?> RegisterAsync(
        MembershipHost host, NetEndpoint control, NetEndpoint data)
    {
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(host.EndPoint, limit.Token);
        await using var stream = new NetworkStream(socket);
        await stream.WriteAsync(RawFrames.Hello("test", control, data), limit.Token);
        byte[] head = new byte[sizeof(int) + 1];
        await stream.ReadExactlyAsync(head, limit.Token);
        var kind = (FrameKind)head[^1];
        if (kind == FrameKind.Welcome) return null;
        Assert.Equal(FrameKind.Expelled, kind);
        byte[] reason = new byte[1];
        await stream.ReadExactlyAsync(reason, limit.Token);
        return (MembershipRefusal)reason[0];
    }
}
