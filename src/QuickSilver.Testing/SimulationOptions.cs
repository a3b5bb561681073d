using System.Text.Json.Serialization;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Security;

namespace QuickSilver.Testing;

/// <summary>Everything that decides a run, together with what the test then does: two clusters with equal options, used
/// alike, behave alike to the last bit.</summary>
internal sealed record SimulationOptions
{
    /// <summary>Nodes of the cluster, beside the membership server.</summary>
    public int Nodes { get; init; } = 2;

    /// <summary>Machines that are not there at all, by index: the others fare exactly as if they were, so a run can be
    /// cut down to fewer nodes.</summary>
    public IReadOnlyList<int> Absent { get; init; } = [];

    /// <summary>How many more nodes can be started on machines whose node has ended; what is asked for beyond is
    /// refused.</summary>
    public int Restarts { get; init; }

    /// <summary>Time after which a node that was removed from the cluster, though it lives, comes back as a new one on
    /// the same machine; null: never.</summary>
    public TimeSpan? RejoinDelay { get; init; }

    /// <summary>Each machine's clock goes wrong by up to so many parts in a million, one way or the other.</summary>
    public int ClockDrift { get; init; }

    /// <summary>Decides everything random.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>The network between the nodes.</summary>
    public NetworkModel Network { get; init; } = new();

    /// <summary>
    /// The membership server. Its multicast pool is filled by the simulator when it is empty and the network carries
    /// multicast.
    /// </summary>
    public MembershipServerSettings Membership { get; init; } = new();

    /// <summary>Elects the host that serves; null: there is one host, and nobody elects it.</summary>
    public ElectionModel? Election { get; init; }

    /// <summary>The newest version of the protocol that each machine's first node speaks; the product's newest where
    /// there is no entry. All speak the oldest of the product.</summary>
    public IReadOnlyList<int> NewestVersions { get; init; } = [];

    /// <summary>The newest version that the membership server speaks.</summary>
    public int ServerVersion { get; init; } = ProtocolVersions.NewestSpoken;

    /// <summary>Groups whose messages leave once for all regions, where the network carries multicast.</summary>
    public IReadOnlyList<string> HybridGroups { get; init; } = [];

    /// <summary>The channels between nodes and membership server.</summary>
    public MembershipLinkModel MembershipLink { get; init; } = new();

    /// <summary>From a node's attempt to reach the membership server to its next one.</summary>
    public TimeSpan ReconnectPause { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Every node's protocol; name and cluster are filled in by the simulator.</summary>
    public NodeSettings Node { get; init; } = new();

    /// <summary>Every node's lateral groups: those whose names begin with "lateral-".</summary>
    public LateralSettings Lateral { get; init; } = new();

    /// <summary>
    /// A message of a lateral group reaches every member so soon after it was taken (T3); null: the run does not say.
    /// For runs in which each member loses packets of few senders, and no repairs.
    /// </summary>
    public TimeSpan? LateralWithin { get; init; }

    /// <summary>Every node's timed groups: those whose names begin with "timed-".</summary>
    public TimedSettings Timed { get; init; } = new();

    /// <summary>
    /// So many objects each sender has in a timed group: every message is about the next; 0: messages have no key.
    /// </summary>
    public int TimedKeys { get; init; }

    /// <summary>Every node's ordered groups: those whose names begin with "ordered-".</summary>
    public OrderedSettings Ordered { get; init; } = new();

    /// <summary>Whether datagrams are sealed, and with what.</summary>
    public Sealing Sealing { get; init; }

    /// <summary>Machines by index whose nodes have the lesser of two ciphers only.</summary>
    public IReadOnlyList<int> LesserCiphers { get; init; } = [];

    /// <summary>What work costs a node.</summary>
    public ProcessorModel Processor { get; init; } = new();

    /// <summary>Which pauses befall a node: collections and preemption.</summary>
    public MemoryModel Memory { get; init; } = MemoryModel.None;

    /// <summary>
    /// How much of each queue a turn of a node's loop may take; they bite only where <see cref="Processor"/> charges
    /// work as it is done.
    /// </summary>
    public LoopQuanta Loop { get; init; } = new();

    /// <summary>
    /// False: nodes do not keep the list of what they received (<see cref="SimulatedGroup.Received"/> stays empty); for
    /// runs of many millions of deliveries. Checks lose nothing by it.
    /// </summary>
    public bool KeepsReceived { get; init; } = true;

    /// <summary>
    /// False: nodes leave groups within long messages and say nothing, which hosts do not. For runs in which a receiver
    /// must see it by the views.
    /// </summary>
    public bool GivesUpLongMessages { get; init; } = true;

    /// <summary>Most events in one virtual microsecond before the run is taken to spin.</summary>
    public int SpinLimit { get; init; } = 10_000;

    /// <summary>True: what the applications see is written down, and checked once more when the run is over.</summary>
    public bool KeepsLog { get; init; }

    /// <summary>Where the protocol takes rare turns: one bit for each <see cref="BuggifySite"/>.</summary>
    [JsonInclude]
    internal ulong BuggifySites { get; init; }

    /// <summary>How often a rare turn is taken where it may be.</summary>
    [JsonInclude]
    internal double BuggifyChance { get; init; } = 0.05;

    /// <summary>Added to the message of every failure: how to run this once more.</summary>
    public string ReplayHint { get; init; } = string.Empty;

    /// <summary>Nodes there can be in the whole run: those of the start and all that come back.</summary>
    internal int Lives => Nodes + Restarts;
}
