using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The state of a membership server: the parts that decide, shared by those that exchange frames with nodes. Core
/// thread only.
/// </summary>
internal sealed class ServerParts
{
    // The groups of one node: those that it is in or waits for, and those made for it that are still in use.
    private const int MaxGroupsOfNode = 1 << 16;

    /// <summary>Makes the parts of a server without nodes.</summary>
    /// <param name="settings">The server's settings, validated by the host.</param>
    /// <param name="alarms">Fires timers.</param>
    /// <param name="random">Draws the server's id and the cluster instance.</param>
    /// <param name="links">Carries frames.</param>
    /// <param name="before">The parts of the same server with a cluster that it gives up; null when there is
    /// none.</param>
    public ServerParts(
        MembershipServerSettings settings,
        AlarmQueue alarms,
        SeededRandom random,
        IServerLinks links,
        ServerParts? before)
    {
        Settings = settings;
        Alarms = alarms;
        ServerEpoch = new ServerEpoch(new Epoch(settings.FirstTerm, random.NextUInt64()), random.NextUInt64())
        {
            IsElected = settings.IsElected,
            GivenUp = before is { Pipeline.Last: > 0 } ? before.ServerEpoch.Epoch.Term : 0,
            GivenUpInstance = before?.ServerEpoch.Instance ?? 0,
        };
        Connections = before?.Connections ?? new ServerConnections(links, alarms);
        Removed = before?.Removed ?? 0;
        ReadTo = before?.ReadTo ?? Instant.Never;
        Func<UInt128> drawSecret = settings.DrawSecret
            ?? (() => new UInt128(random.NextUInt64(), random.NextUInt64()));
        Nodes = new NodeTable(links, drawSecret, settings.Versions);
        Claims = new EndpointClaims(links, Nodes);
        Pauses = new OwnPauses(alarms, Nodes);
        int mostOfNode = Math.Min(MaxGroupsOfNode, settings.MaxGroups / 4);
        var pool = new AddressPool(settings);
        Groups = new ServerGroups(settings.MaxGroups, mostOfNode, pool, settings.Probes);
        var regions = new RegionCalculator(Groups);
        Regions = regions;
        Publishers = new ServerPublishers(Groups, regions);
        ViewSecrets? secrets = settings.Crypto is { } suite ? new ViewSecrets(suite) : null;
        Ledger = new ViewLedger(ServerEpoch, Nodes, regions, Groups, pool, secrets, settings.Probes);
        Inherited = new InheritedViews(Nodes, Groups, pool);
        var notices = new NotificationWriter(Nodes, regions, Publishers, Groups, secrets, settings.Replication);
        bool merges = settings.MaxRegions < int.MaxValue || settings.MaxMulticastRegions < int.MaxValue;
        Merger = merges ? new RegionMerger(settings, regions, settings.Probes) : null;
        bool rotates = secrets is not null && settings.RotateAfter > TimeSpan.Zero;
        KeyRotation? rotation = rotates ? new KeyRotation(Ledger, settings.RotateAfter, settings.Probes) : null;
        Changes = new ChangeQueue(Groups, settings.Probes);
        Maker = new StepMaker(
            Nodes, Changes, regions, Publishers, Groups, Ledger, notices, Merger, rotation,
            new VersionChange(Ledger, Nodes, settings.Probes), settings.Probes);
        Monitors = new MonitorNotices(Nodes, Groups);
        Pipeline = new StepPipeline(settings, alarms, Nodes, Maker, rotation, Monitors, Pauses);
        Hold = new ServerHold(this);
    }

    /// <summary>The server's settings.</summary>
    public MembershipServerSettings Settings { get; }

    /// <summary>
    /// The versions of which each is spoken by the server and all registered nodes: a node that speaks none of them is
    /// refused. Its newest is what all nodes can read.
    /// </summary>
    public ProtocolVersions Versions => Nodes.Versions;

    /// <summary>Fires timers.</summary>
    public AlarmQueue Alarms { get; }

    /// <summary>The epoch of the server's numbers.</summary>
    public ServerEpoch ServerEpoch { get; }

    /// <summary>The connections.</summary>
    public ServerConnections Connections { get; }

    /// <summary>The nodes.</summary>
    public NodeTable Nodes { get; }

    /// <summary>Finds the pauses of the server itself.</summary>
    public OwnPauses Pauses { get; }

    /// <summary>Checks the endpoints of registrations.</summary>
    public EndpointClaims Claims { get; }

    /// <summary>The groups.</summary>
    public ServerGroups Groups { get; }

    /// <summary>Assigns nodes to regions.</summary>
    public RegionCalculator Regions { get; }

    /// <summary>Merges similar regions; null when all are exact.</summary>
    public RegionMerger? Merger { get; }

    /// <summary>Tracks the nodes that publish.</summary>
    public ServerPublishers Publishers { get; }

    /// <summary>True while no node is in a group or publishes to one.</summary>
    public bool IsUnused => Regions.InhabitedCount + Publishers.Count == 0;

    /// <summary>Views of this server.</summary>
    public ViewLedger Ledger { get; }

    /// <summary>Views of former servers.</summary>
    public InheritedViews Inherited { get; }

    /// <summary>The changes that no step contains yet.</summary>
    public ChangeQueue Changes { get; }

    /// <summary>Makes steps.</summary>
    public StepMaker Maker { get; }

    /// <summary>Schedules and tracks steps.</summary>
    public StepPipeline Pipeline { get; }

    /// <summary>Tells nodes whether a monitor is open.</summary>
    public MonitorNotices Monitors { get; }

    /// <summary>Reports that the server holds.</summary>
    public ServerHold Hold { get; }

    /// <summary>Nodes removed since the start.</summary>
    public ulong Removed { get; set; }

    /// <summary>
    /// Time up to which all input has been passed in; <see cref="Instant.Never"/> when input is passed in at once.
    /// </summary>
    public Instant ReadTo { get; set; }

    /// <summary>The time by which nodes may be judged for silence.</summary>
    public Instant KnownTo(Instant now) => ReadTo < now ? ReadTo : now;
}
