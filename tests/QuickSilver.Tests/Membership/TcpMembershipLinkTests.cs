using System.Diagnostics;
using System.Net.Sockets;
using QuickSilver.Membership;

namespace QuickSilver.Tests.Membership;

/// <summary>A node's link to its server when there is no way to one for a while.</summary>
public sealed class TcpMembershipLinkTests
{
    private readonly TestHost _events = new();

    [Fact]
    public async Task A_link_whose_connector_throws_tries_again()
    {
        await using MembershipHost host = _events.Start();
        var connector = new Throwing(times: 2, new ServerListConnector([("127.0.0.1", host.EndPoint.Port)]));
        await using (var node = new TestNode(connector))
        {
            await node.HearAsync("unreachable");
            await node.HearAsync("registered");
        }
        Assert.True(connector.IsDisposed);
    }

    [Fact]
    public async Task A_link_whose_connector_only_ever_throws_is_disposed_of_with_it()
    {
        var connector = new Throwing(times: int.MaxValue, new ServerListConnector([("127.0.0.1", 1)]));
        await using (var node = new TestNode(connector)) await node.HearAsync("unreachable");
        Assert.True(connector.IsDisposed);
    }

    [Fact]
    public async Task Nothing_of_its_starters_context_stays_with_the_link()
    {
        await using MembershipHost host = _events.Start();
        var connector = new Throwing(times: 1, new ServerListConnector([("127.0.0.1", host.EndPoint.Port)]));
        connector.Scope.Value = "the starter's";
        await using var node = new TestNode(connector);
        await node.HearAsync("registered");
        Assert.Null(connector.ScopeSeen);
    }

    // The server would count what breaks off in its handshake, and warn of it.
    [Fact]
    public async Task A_leaving_node_does_not_connect_at_once_when_its_server_ends_the_connection()
    {
        MembershipHost host = _events.Start();
        var connector = new Throwing(times: 0, new ServerListConnector([("127.0.0.1", host.EndPoint.Port)]));
        await using var node = new TestNode(connector);
        await node.HearAsync("registered");
        node.ExpectEnd();
        long before = Stopwatch.GetTimestamp();
        await host.DisposeAsync();
        await node.HearAsync("unreachable");
        Assert.InRange(
            Stopwatch.GetElapsedTime(before, connector.LastTry), TcpMembershipLink.LeavingPause, TimeSpan.MaxValue);
    }

    // A process that is out of descriptors gets no socket to connect with.
    private sealed class Throwing(int times, MembershipConnector inner) : MembershipConnector(security: null)
    {
        private int _left = times;

        public bool IsDisposed { get; private set; }

        public AsyncLocal<string> Scope { get; } = new();

        public string? ScopeSeen { get; private set; }

        public long LastTry { get; private set; }

        public override ValueTask<Reached> TryConnectAsync(ILinkEvents events, CancellationToken stop)
        {
            ScopeSeen = Scope.Value;
            LastTry = Stopwatch.GetTimestamp();
            return _left-- > 0
                ? throw new SocketException((int)SocketError.TooManyOpenSockets) : inner.TryConnectAsync(events, stop);
        }

        protected override ValueTask StopAsync()
        {
            IsDisposed = true;
            return inner.DisposeAsync();
        }
    }
}
