using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>The server's record of one node.</summary>
/// <param name="info">The node's description.</param>
/// <param name="slot">The node's index in sets of nodes: unique among nodes that live, or are still in a region; reused
/// later.</param>
internal sealed class ServerNode(NodeInfo info, int slot)
{
    /// <summary>The node's description.</summary>
    public NodeInfo Info { get; } = info;

    /// <summary>The node in readable text: its name and address.</summary>
    public string DisplayName => Describe(Info);

    /// <summary>A node in readable text: its name and address.</summary>
    public static string Describe(NodeInfo node) => $"{node.Name} ({node.Control})";

    /// <summary>
    /// True when the other side ended its last connection while the node was in sight: the process has ended, or has
    /// left the server.
    /// </summary>
    public bool HasEnded { get; set; }

    /// <summary>The node's index in <see cref="NodeBits"/>.</summary>
    public int Slot { get; } = slot;

    /// <summary>Key of the node's number.</summary>
    public ulong Key => Info.Number.Key;

    /// <summary>The identity that the node's certificate proves; empty where none is proven.</summary>
    public string Identity => Info.Identity;

    /// <summary>True when it can use IP multicast.</summary>
    public bool Multicast { get; init; }

    /// <summary>The versions of the protocol that it speaks.</summary>
    public ProtocolVersions Versions { get; init; } = ProtocolVersions.Spoken;

    /// <summary>The ciphers that it has; none when the cluster is not secured.</summary>
    public SealCiphers Ciphers { get; init; }

    /// <summary>True when it takes word of monitors.</summary>
    public bool TakesMonitored { get; init; }

    /// <summary>The last that it was told of monitors by this server; null when it was told nothing. Written by
    /// <see cref="MonitorNotices"/>.</summary>
    public bool? ToldMonitored { get; set; }

    /// <summary>The node's connection; null while that is broken.</summary>
    public long? Connection { get; set; }

    /// <summary>The secret of its welcome, required when it returns.</summary>
    public UInt128 Secret { get; init; }

    /// <summary>
    /// The secret of its former server; required when it returns as long as it has not read its welcome.
    /// </summary>
    public UInt128 BroughtSecret { get; init; }

    /// <summary>Frames sent to it that are not confirmed yet.</summary>
    public SessionLog Log { get; } = new();

    /// <summary>Numbered frames received from it.</summary>
    public ulong Received { get; set; }

    /// <summary>Time of the last frame from it.</summary>
    public Instant LastHeard { get; set; }

    /// <summary>Time of its last heartbeat.</summary>
    public Instant LastHeartbeat { get; set; }

    /// <summary>The time between its last two heartbeats: each node has a pace of its own.</summary>
    public TimeSpan Pace { get; set; }

    /// <summary>
    /// Time when it is removed unless it has returned; <see cref="Instant.Never"/> while it is connected.
    /// </summary>
    public Instant ReconnectBy { get; set; } = Instant.Never;

    /// <summary>Watches for silence and a broken connection; null in tests without it.</summary>
    public Alarm? Watch { get; set; }

    /// <summary>Time when it last confirmed a frame, or had none to confirm.</summary>
    public Instant ConfirmedAt { get; set; }

    /// <summary>Number of frames that it had confirmed at its last heartbeat.</summary>
    public ulong Confirmed { get; set; }

    /// <summary>The region at its limit of views that delays its changes; null when none does.</summary>
    public ServerRegion? HeldBackBy { get; set; }

    /// <summary>Its region after the last step; null while it is in no group.</summary>
    public ServerRegion? Region { get; set; }

    /// <summary>The last step made before it registered; it gets all later ones.</summary>
    public ulong BaseStep { get; init; }

    /// <summary>The last step that it has installed.</summary>
    public ulong Installed { get; set; }

    /// <summary>The changes it has requested that no step contains yet, in order.</summary>
    public List<GroupChange> WaitingChanges { get; set; } = [];

    /// <summary>Number of joins, and of publishers to open, in <see cref="WaitingChanges"/>.</summary>
    public int WaitingJoins { get; set; }

    /// <summary>Number of groups that were made at its request and are not forgotten.</summary>
    public int GroupsMade { get; set; }

    /// <summary>
    /// The joins, and the publishers to open, it has requested whose names have not been looked up.
    /// </summary>
    public List<(string Name, byte Mode, bool IsPublisher)> Deferred { get; set; } = [];

    /// <summary>
    /// By <see cref="GroupChange.Subject"/>, the step in which it left a group or ceased to publish there, for steps it
    /// may not have installed.
    /// </summary>
    public Dictionary<ulong, ulong> LeftIn { get; } = [];

    /// <summary>The last step in which it left any group, or ceased to publish to any.</summary>
    public ulong LastLeave { get; set; }

    /// <summary>The groups that it was in under the former server, until the first step has taken them over.</summary>
    public uint[]? Inherited { get; set; }

    /// <summary>The groups that it published to under the former server, for as long.</summary>
    public uint[] InheritedPublished { get; set; } = [];

    /// <summary>
    /// True when a former server admitted it: it may know more nodes than this server has described to it.
    /// </summary>
    public bool IsInherited { get; init; }

    /// <summary>Nodes that have been described to it.</summary>
    public NodeBits Known { get; } = new();

    /// <summary>Its groups after the last step.</summary>
    public uint[] Groups => Home?.Groups ?? [];

    /// <summary>The region of exactly its groups; null when it is in none. Written by
    /// <see cref="RegionCalculator"/>.</summary>
    public ServerRegion? Home { get; set; }

    /// <summary>Its place among the residents of <see cref="Home"/>.</summary>
    internal int HomeIndex { get; set; }

    /// <summary>The batch that last moved it. Written by <see cref="RegionCalculator"/>.</summary>
    internal ulong MovedIn { get; set; }

    /// <summary>
    /// Counters of the groups that it publishes to after the last step, rising; it may be in some of them. Written by
    /// <see cref="ServerPublishers"/>.
    /// </summary>
    public uint[] Published { get; set; } = [];

    /// <summary>
    /// The regions of those groups, by number. Written by <see cref="ServerPublishers"/>.
    /// </summary>
    public List<ServerRegion> Reach { get; } = [];

    /// <summary>True when it is in a group, or publishes to one.</summary>
    public bool HasGroups => Region is not null || Published.Length > 0;

    /// <summary>
    /// True for a member: it has groups, is about to get some, or had some under the former server. An admitted node
    /// without any counts in no majority, since nobody depends on it.
    /// </summary>
    public bool IsMember => HasGroups || WaitingJoins + Deferred.Count + InheritedPublished.Length > 0
        || Inherited is { Length: > 0 };
}
