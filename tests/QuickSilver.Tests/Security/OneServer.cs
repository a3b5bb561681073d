using QuickSilver.Membership;
using QuickSilver.Security;

namespace QuickSilver.Tests.Security;

/// <summary>Connects to one server on this machine.</summary>
internal sealed class OneServer(int port, ChannelSecurity? security, string host = "127.0.0.1")
    : MembershipConnector(security)
{
    public override ValueTask<Reached> TryConnectAsync(ILinkEvents events, CancellationToken stop) =>
        TryConnectAsync(host, port, events, stop);
}
