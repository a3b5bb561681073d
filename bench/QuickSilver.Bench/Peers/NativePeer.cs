using System.Globalization;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Peers;

/// <summary>
/// A system behind an adapter of its own, a program that takes its order as options and then talks as this program's
/// roles do: see bench/peers/README.md.
/// </summary>
internal sealed class NativePeer(string name, PeerPromise promise) : Peer(name, promise)
{
    private const int Port = 15_810;
    private const int FeedbackPort = 15_811;
    private const string Group = "239.192.67.2";

    /// <summary>File in the build folder.</summary>
    public required string Adapter { get; init; }

    /// <summary>Name of its program, where the adapter is a folder; null: the adapter's.</summary>
    public string? Program { get; init; }

    /// <summary>Whether its adapter sends to as many topics as it is told.</summary>
    public bool HasTopics { get; init; }

    /// <inheritdoc/>
    public override bool HasGroups => HasTopics;

    /// <summary>Words before the adapter's path, for those that are not programs by themselves.</summary>
    public IReadOnlyList<string> Runner { get; init; } = [];

    /// <summary>Words between the path and the role.</summary>
    public IReadOnlyList<string> Words { get; init; } = [];

    /// <summary>Whether the adapter is to use what its own guide advises, instead of its defaults.</summary>
    public bool IsTuned { get; init; }

    /// <summary>Makes a broker's command from its folder, address and port; null without a broker.</summary>
    public Func<BrokerPlace, IReadOnlyList<string>>? BrokerCommand { get; init; }

    /// <summary>Environment of the broker.</summary>
    public Func<BrokerPlace, IReadOnlyDictionary<string, string>>? BrokerEnvironment { get; init; }

    /// <summary>Environment of the adapter.</summary>
    public Func<PeerBuild, IReadOnlyDictionary<string, string>>? AdapterEnvironment { get; init; }

    /// <inheritdoc/>
    public override string? WhyMissing(PeerBuild build) => build.WhyMissing(Adapter);

    /// <inheritdoc/>
    public override string Version(PeerBuild build) => build.VersionOf(Adapter);

    /// <inheritdoc/>
    public override Broker? StartBroker(PeerSetting setting, NetworkLab lab, PeerBuild build)
    {
        if (BrokerCommand is null) return null;
        return Broker.Start(folder =>
        {
            var place = new BrokerPlace(folder, lab.AddressOf(LastAt(setting)), lab.PortOf(Port), ProgramIn(build));
            return ([.. lab.PrefixOf(LastAt(setting)), .. BrokerCommand(place)], BrokerEnvironment?.Invoke(place));
        });
    }

    /// <inheritdoc/>
    protected override RoleOrder Sender(PeerSetting setting, ILab lab) =>
        Order(setting, lab, RoleKind.Sender, "sender", 0, SenderAt);

    /// <inheritdoc/>
    protected override RoleOrder Receiver(PeerSetting setting, ILab lab, int number) =>
        Order(setting, lab, RoleKind.Receiver, $"receiver-{number + 1}", number, number + 1);

    /// <inheritdoc/>
    protected override RoleLaunch Launch(RoleOrder order, PeerBuild build)
    {
        IReadOnlyList<string> command = order.Command(IsTuned);
        string path = build.PathOf(Adapter);
        IReadOnlyList<string> host = [
            .. Runner.Select(word => word.Replace("{build}", build.Folder, StringComparison.Ordinal))];
        return new RoleLaunch
        {
            Command = host is ["dotnet", ..]
                ? ChildProcess.CommandOf(ProgramIn(build), [.. Words, .. command])
                : [.. host, .. host.Count == 0 ? [path] : Words, .. command],
            Environment = AdapterEnvironment?.Invoke(build),
        };
    }

    private string ProgramIn(PeerBuild build) =>
        Path.Combine(build.PathOf(Adapter), (Program ?? Adapter) + ".dll");

    private RoleOrder Order(
        PeerSetting setting, ILab lab, RoleKind role, string process, int number, int member) =>
        setting.Order(
            role, process, number, lab.AddressOf(member),
            lab.AddressOf(BrokerCommand is null ? SenderAt : LastAt(setting))) with
        {
            RawGroup = Group,
            TcpPort = lab.PortOf(Port),
            FeedbackPort = lab.PortOf(FeedbackPort),
            FeedbackAddress = lab.AddressOf(SenderAt),
        };
}
