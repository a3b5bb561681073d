using System.Reflection;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Peers;

/// <summary>QuickSilver itself.</summary>
/// <param name="name">On the command line and in tables.</param>
/// <param name="sharesMemory">False: every packet goes by a socket, as between machines.</param>
/// <param name="security">What protects it.</param>
/// <param name="level">Of ordered groups; null: the groups are reliable.</param>
internal sealed class QuickSilverPeer(
    string name, bool sharesMemory, RunSecurity security = RunSecurity.None, OrderedLevel? level = null)
    : Peer(security == RunSecurity.None ? name : name + SecuredSuffix, level is null ? Reliable : Ordered)
{
    private const string SecuredSuffix = "-secured";

    private static readonly PeerPromise Reliable =
        new("repaired by peers and sender", "per sender", "others go on", "nothing");

    private static readonly PeerPromise Ordered =
        new("repaired by who holds it", "one for all senders", "others wait until it is suspected", "nothing");

    /// <summary>Where the membership is hosted.</summary>
    public const int MembershipPort = 14_999;

    /// <summary>What protects it.</summary>
    public RunSecurity Security => security;

    /// <summary>Name of the same without protection.</summary>
    public string Unsecured => name;

    /// <inheritdoc/>
    public override bool HasGroups => true;

    /// <inheritdoc/>
    public override string Version(PeerBuild build) =>
        typeof(QuickSilverNode).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
            ?.InformationalVersion[..13] ?? "";

    /// <inheritdoc/>
    protected override RoleOrder Host(PeerSetting setting, ILab lab) =>
        Order(RoleKind.Host, "host", 0, setting, lab, LastAt(setting));

    /// <inheritdoc/>
    protected override RoleOrder Sender(PeerSetting setting, ILab lab) =>
        Order(RoleKind.Sender, "sender", 0, setting, lab, SenderAt);

    /// <inheritdoc/>
    protected override RoleOrder Receiver(PeerSetting setting, ILab lab, int number) =>
        Order(
            RoleKind.Receiver, $"receiver-{number + 1}", number, setting, lab, number + 1) with
        {
            Drop = setting.NodeDrop
        };

    private RoleOrder Order(RoleKind role, string name, int number, PeerSetting setting, ILab lab, int member) =>
        setting.Order(role, name, number, lab.AddressOf(member), lab.AddressOf(LastAt(setting))) with
        {
            Cluster = $"peers-{Environment.ProcessId}",
            SharesMemory = sharesMemory,
            Level = level,
            Key = security == RunSecurity.None ? null : setting.Key,
            MembershipPort = lab.PortOf(MembershipPort),
            MembershipServer = lab.HasMachines
                ? $"{lab.AddressOf(LastAt(setting))}:{lab.PortOf(MembershipPort)}" : null,
        };
}
