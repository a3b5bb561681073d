using QuickSilver.Scenarios.Lab;
using QuickSilver.Scenarios.Roles;

namespace QuickSilver.Scenarios.Peers;

/// <summary>The raw multicast loops: not systems, but what any of them could at most reach in C#.</summary>
internal sealed class RawPeer(string name, bool hasTrains, bool isPacked)
    : Peer(name, new PeerPromise("lost is lost", "none", "sender waits 0.1 s", "nothing"))
{
    private const int Port = 15_800;
    private const int FeedbackPort = 15_801;
    private const int LongestTrain = 65_493;
    private const int MostDatagrams = 32;

    /// <inheritdoc/>
    protected override RoleOrder Sender(PeerSetting setting, NetworkLab lab) =>
        Order(setting, lab, RoleKind.RawSender, "sender", 0, SenderAt);

    /// <inheritdoc/>
    protected override RoleOrder Receiver(PeerSetting setting, NetworkLab lab, int number) =>
        Order(setting, lab, RoleKind.RawReceiver, $"receiver-{number + 1}", number, number + 1);

    private RoleOrder Order(PeerSetting setting, NetworkLab lab, RoleKind role, string process, int number, int member)
    {
        int packed = isPacked ? Math.Max(1, setting.Slot / setting.Size) : 1;
        return setting.Order(role, process, number, lab.AddressOf(member), lab.AddressOf(SenderAt)) with
        {
            RawGroup = "239.192.67.1",
            RawPort = lab.PortOf(Port),
            FeedbackPort = lab.PortOf(FeedbackPort),
            Packed = packed,
            TrainLength = hasTrains ? Math.Clamp(LongestTrain / (packed * setting.Size), 1, MostDatagrams) : 1,
        };
    }
}
