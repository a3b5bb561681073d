using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Peers;

/// <summary>The raw multicast loops: not systems, but what any of them could at most reach in C#.</summary>
internal sealed class RawPeer(string name, bool hasTrains, bool isPacked)
    : Peer(name, new PeerPromise("lost is lost", "none", "sender waits 0.1 s", "nothing"))
{
    /// <summary>Where receivers listen.</summary>
    public const int Port = 15_800;

    /// <summary>Where the sender listens for feedback.</summary>
    public const int FeedbackPort = 15_801;

    private const int LongestTrain = 65_493;
    private const int MostDatagrams = 32;

    /// <inheritdoc/>
    protected override RoleOrder Sender(PeerSetting setting, ILab lab) =>
        Order(setting, lab, RoleKind.RawSender, "sender", 0, SenderAt);

    /// <inheritdoc/>
    protected override RoleOrder Receiver(PeerSetting setting, ILab lab, int number) =>
        Order(setting, lab, RoleKind.RawReceiver, $"receiver-{number + 1}", number, number + 1);

    private RoleOrder Order(PeerSetting setting, ILab lab, RoleKind role, string process, int number, int member)
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
