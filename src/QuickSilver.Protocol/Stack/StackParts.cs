using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Timed.Groups;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// The rooms of one node, built and connected; shared by <see cref="NodeStack"/>'s helpers. Core thread only.
/// </summary>
internal sealed class StackParts
{
    private readonly long _lateralCache;

    public StackParts(NodeSettings settings, NodeHost host, NodeStack stack)
    {
        Host = host;
        Probes = settings.Probes;
        Versions = settings.Versions;
        Ring = settings.Ring;
        _lateralCache = Math.Min(LateralEngine.MostCacheBytes, settings.CacheBytes);
        ChecksSources = settings.CheckSources;
        DeliveryCounters = new DeliveryCounters(Rejected);
        Keys = settings.Crypto is { } suite ? new KeyRing(suite, IsLiveNode) : null;
        Sealer = Keys is null ? null : new DatagramSealer(Keys);
        Roots = new SocketRoots(
            host.Transport, host.Alarms, host.Pool, Sealer is null ? null : new TrainSealer(Sealer));
        Groups = new GroupSessions(this, isPublishing: false);
        Published = new GroupSessions(this, isPublishing: true);
        OrderedRing = new OrderedRingSession(this);
        Glue = new NodeWiring(this);
        Views = new ViewTable(this);
        TransportFacts facts = host.Transport.Facts;
        Agent = new MembershipAgent(
            new AgentSettings(
                settings.ClusterName,
                settings.NodeName,
                settings.Incarnation,
                facts.Control,
                facts.Data,
                facts.ReceiveBufferBytes,
                facts.Multicast,
                settings.HeartbeatInterval)
            {
                Probes = settings.Probes,
                LongestDatagram = facts.LongestDatagram,
                IsSecured = settings.Crypto is not null,
                Versions = settings.Versions,
                Ciphers = settings.Crypto?.Ciphers ?? default,
            },
            host.Link, stack, host.Alarms);
        Disseminator = new Disseminator(
            DisseminationSettingsOf(settings),
            PendingQuota.Of(settings.MaxPendingMessages, settings.MaxPendingBytes, settings.NodeMaxPendingBytes),
            host.Transport,
            Roots,
            host.Alarms,
            host.Pool,
            DisseminationCounters,
            Glue);
        // One cap for kept packets: half for others, half for those waiting for delivery; a packet in both is charged
        // to both.
        var delivery = settings.Delivery with { MaxHeldBytes = settings.CacheBytes / 2, Probes = settings.Probes };
        Deliverer = new Deliverer(delivery, host.Pool, DeliveryCounters);
        Unrecognised = new EarlyPacketBuffer(delivery, host.Pool, DeliveryCounters);
        Recoverer = new Recoverer(new RecoveryContext(
            RecoverySettingsOf(settings),
            host.Transport,
            Roots,
            host.Alarms,
            host.Pool,
            RecoveryCounters,
            Agent.Cluster,
            Deliverer,
            Disseminator,
            Glue)
        {
            HandlerTime = host.HandlerTime,
        });
        Modes = new ModeEngines(this);
    }

    public NodeHost Host { get; }

    public Probes Probes { get; }

    /// <summary>The versions of the protocol that are read.</summary>
    public ProtocolVersions Versions { get; }

    public bool ChecksSources { get; }

    public ModeEngines Modes { get; }

    public LateralCounters LateralCounters { get; } = new();

    public OrderedCounters OrderedCounters { get; } = new();

    public RejectCounters Rejected { get; } = new();

    public TimedCounters TimedCounters { get; } = new();

    public DisseminationCounters DisseminationCounters { get; } = new();

    public RecoveryCounters RecoveryCounters { get; } = new();

    public DeliveryCounters DeliveryCounters { get; }

    /// <summary>The keys of region views; null when datagrams are not sealed.</summary>
    public KeyRing? Keys { get; }

    /// <summary>Seals what is sent; null when datagrams are not sealed.</summary>
    public DatagramSealer? Sealer { get; }

    public SocketRoots Roots { get; }

    public MembershipAgent Agent { get; }

    public Disseminator Disseminator { get; }

    public Recoverer Recoverer { get; }

    public Deliverer Deliverer { get; }

    public EarlyPacketBuffer Unrecognised { get; }

    public GroupSessions Groups { get; }

    public GroupSessions Published { get; }

    public OrderedRingSession OrderedRing { get; }

    public RingSettings Ring { get; }

    public NodeWiring Glue { get; }

    public ViewTable Views { get; }

    public MemberLags Lags => Recoverer.Lags;

    public ClusterView Cluster => Agent.Cluster;

    /// <summary>Makes engines for tests of what all modes share; null: the node's own.</summary>
    public Func<byte, ModeContext, IModeEngine?>? MakeEngineInTests { get; set; }

    public ulong ClusterInstance { get; set; }

    public ulong SelfKey { get; set; }

    public ulong StepsInstalled { get; set; }

    /// <summary>Makes the engine of a mode.</summary>
    public IModeEngine MakeEngine(byte mode, ModeContext context) =>
        MakeEngineInTests?.Invoke(mode, context)
        ?? mode switch
        {
            GroupModes.Lateral => new LateralEngine(context, LateralCounters, _lateralCache),
            GroupModes.Timed => new TimedEngine(context, TimedCounters),
            GroupModes.Ordered => new OrderedEngine(context, OrderedCounters),
            _ => throw new NotSupportedException($"There is no engine for mode {mode}."),
        };

    /// <summary>Takes the keys of the views that a step opens.</summary>
    public void OpenKeys(InstalledStep step)
    {
        for (int index = 0; Keys is not null && index < step.Secrets.Count; index++)
        {
            RegionView view = step.Opened[index];
            ulong[] members = Array.ConvertAll(view.Members, static member => member.Number.Key);
            Keys.Open(view.Number.Tag, view.Number.Counter, step.Secrets[index], SelfKey, members);
            step.Secrets[index].Clear();
            // A token may tell of a removal before the steps come that were made before it.
            foreach (NodeInfo member in view.Members)
            {
                if (!member.IsRemoved) continue;
                Probes.Reached("a view opens with a member that is known to be removed");
                Keys.Remove(member.Number.Key);
            }
        }
    }

    private bool IsLiveNode(ulong key) => Agent.Cluster.FindNode(key) is { IsRemoved: false };

    private static DisseminationSettings DisseminationSettingsOf(NodeSettings settings) => settings.Dissemination with
    {
        IsSealed = settings.Crypto is not null,
        Probes = settings.Probes,
    };

    private static RecoverySettings RecoverySettingsOf(NodeSettings settings) => settings.Recovery with
    {
        CacheBytes = settings.CacheBytes / 2,
        Probes = settings.Probes,
    };
}
