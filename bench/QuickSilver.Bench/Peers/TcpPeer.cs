using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Peers;

/// <summary>A TCP connection to each receiver, written in C#; with TLS 1.3 if wanted.</summary>
/// <param name="name">On the command line and in tables.</param>
/// <param name="style">How it is written.</param>
/// <param name="isInline">Whether completions run on the thread that polls, a switch for the whole process.</param>
/// <param name="isTls">Whether each connection is encrypted.</param>
internal sealed class TcpPeer(string name, TcpStyle style, bool isInline, bool isTls = false)
    : Peer(name, new PeerPromise("repaired by TCP", "per connection", "loses what it had not read", "nothing"))
{
    private const int Port = 15_802;
    private static readonly Dictionary<string, string> Inline = new()
    {
        ["DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS"] = "1"
    };

    /// <inheritdoc/>
    protected override RoleOrder Sender(PeerSetting setting, ILab lab) =>
        Order(setting, lab, RoleKind.TcpSender, "sender", 0, SenderAt);

    /// <inheritdoc/>
    protected override RoleOrder Receiver(PeerSetting setting, ILab lab, int number) =>
        Order(setting, lab, RoleKind.TcpReceiver, $"receiver-{number + 1}", number, number + 1);

    /// <inheritdoc/>
    protected override RoleLaunch Launch(RoleOrder order, PeerBuild build) =>
        new() { Environment = isInline ? Inline : null };

    private RoleOrder Order(
        PeerSetting setting, ILab lab, RoleKind role, string process, int number, int member) =>
        setting.Order(
            role, process, number, lab.AddressOf(member), lab.AddressOf(SenderAt)) with
        {
            TcpPort = lab.PortOf(Port),
            Tcp = style,
            IsTls = isTls,
        };
}
