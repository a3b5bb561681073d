using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>The state of a membership server, made of the parts that decide; shared by those who talk to nodes. Core thread only.</summary>
internal sealed class ServerParts
{
    /// <summary>Makes the parts of a server without nodes.</summary>
    /// <param name="settings">Validated by the host.</param>
    /// <param name="alarms">Fires timers.</param>
    /// <param name="random">Draws the server's id and the cluster instance.</param>
    /// <param name="links">Carries frames.</param>
    /// <param name="before">The parts of the same server, with a cluster that it gives up; null: none.</param>
    public ServerParts(MembershipServerSettings settings, AlarmQueue alarms, SeededRandom random, IServerLinks links, ServerParts? before)
    {
        Settings = settings;
        Alarms = alarms;
        ServerEpoch = new ServerEpoch(new Epoch(settings.FirstTerm, random.NextUInt64()), random.NextUInt64())
        {
            GivenUp = before is { Pipeline.Last: > 0 } ? before.ServerEpoch.Epoch.Term : 0,
            GivenUpInstance = before?.ServerEpoch.Instance ?? 0,
        };
        Connections = before?.Connections ?? new ServerConnections(links, alarms);
        Removed = before?.Removed ?? 0;
        ReadTo = before?.ReadTo ?? Instant.Never;
        Nodes = new NodeTable(links, settings.DrawSecret ?? (() => new UInt128(random.NextUInt64(), random.NextUInt64())));
        Claims = new EndpointClaims(links, Nodes);
        Groups = new ServerGroups(settings.MaxGroups, Math.Min(settings.MaxGroupsOfNode, settings.MaxGroups / 4), settings.Probes);
        var regions = new RegionCalculator(Groups);
        Regions = regions;
        var pool = new AddressPool(settings);
        Ledger = new ViewLedger(ServerEpoch, Nodes, regions, Groups, pool, settings.Probes);
        Inherited = new InheritedViews(Nodes, Groups, pool);
        Maker = new StepMaker(Nodes, regions, Groups, Ledger, new NotificationWriter(Nodes, regions, Groups, settings.Replication), settings.Probes);
        Pipeline = new StepPipeline(settings, alarms, Nodes, Maker);
        Hold = new ServerHold(this);
    }

    /// <summary>What the server is told.</summary>
    public MembershipServerSettings Settings { get; }

    /// <summary>Fires timers.</summary>
    public AlarmQueue Alarms { get; }

    /// <summary>What its numbers begin with.</summary>
    public ServerEpoch ServerEpoch { get; }

    /// <summary>The connections.</summary>
    public ServerConnections Connections { get; }

    /// <summary>The nodes.</summary>
    public NodeTable Nodes { get; }

    /// <summary>Who may have which endpoint.</summary>
    public EndpointClaims Claims { get; }

    /// <summary>The groups.</summary>
    public ServerGroups Groups { get; }

    /// <summary>Who shares a region.</summary>
    public RegionCalculator Regions { get; }

    /// <summary>Views of this server.</summary>
    public ViewLedger Ledger { get; }

    /// <summary>Views of servers before this one.</summary>
    public InheritedViews Inherited { get; }

    /// <summary>Makes steps.</summary>
    public StepMaker Maker { get; }

    /// <summary>Takes steps through their lives.</summary>
    public StepPipeline Pipeline { get; }

    /// <summary>Says that the server holds back.</summary>
    public ServerHold Hold { get; }

    /// <summary>Nodes removed since the start.</summary>
    public ulong Removed { get; set; }

    /// <summary>All that came until this instant has been handed in; <see cref="Instant.Never"/>: everything is as it comes.</summary>
    public Instant ReadTo { get; set; }

    /// <summary>As of when nodes may be judged by what has not come from them.</summary>
    public Instant KnownTo(Instant now) => ReadTo < now ? ReadTo : now;
}
