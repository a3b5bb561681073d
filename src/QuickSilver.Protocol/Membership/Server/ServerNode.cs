using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>What the server knows of one node.</summary>
/// <param name="info">Its description.</param>
/// <param name="slot">Its place in sets of nodes: unique among nodes that live, or are still in a region; used again later.</param>
internal sealed class ServerNode(NodeInfo info, int slot)
{
    /// <summary>Its description.</summary>
    public NodeInfo Info { get; } = info;

    /// <summary>It for people: its name, and where it is.</summary>
    public string ForPeople => Describe(Info);

    /// <summary>A node for people: its name, and where it is.</summary>
    public static string Describe(NodeInfo node) => $"{node.Name} ({node.Control})";

    /// <summary>The other side ended its last connection while the server still saw it: the process has ended, or wants no more of the server.</summary>
    public bool HasEnded { get; set; }

    /// <summary>Its place in <see cref="NodeBits"/>.</summary>
    public int Slot { get; } = slot;

    /// <summary>Key of its number.</summary>
    public ulong Key => Info.Number.Key;

    /// <summary>It can use IP multicast.</summary>
    public bool Multicast { get; init; }

    /// <summary>Its connection; null while that is broken.</summary>
    public long? Connection { get; set; }

    /// <summary>What its welcome brings, and its return must.</summary>
    public UInt128 Secret { get; init; }

    /// <summary>What it brought from the server before; its return must bring the same as long as it has not read its welcome.</summary>
    public UInt128 BroughtSecret { get; init; }

    /// <summary>Frames sent to it and not yet confirmed.</summary>
    public SessionLog Log { get; } = new();

    /// <summary>Numbered frames taken from it.</summary>
    public ulong Received { get; set; }

    /// <summary>When a frame last came from it.</summary>
    public Instant LastHeard { get; set; }

    /// <summary>When it last said that it lives.</summary>
    public Instant LastHeartbeat { get; set; }

    /// <summary>The time between its last two heartbeats: each node has a pace of its own.</summary>
    public TimeSpan Pace { get; set; }

    /// <summary>When it is removed unless it is back; <see cref="Instant.Never"/> while it is connected.</summary>
    public Instant ReconnectBy { get; set; } = Instant.Never;

    /// <summary>Watches over silence and broken connection; null in tests that have none.</summary>
    public Alarm? Watch { get; set; }

    /// <summary>What <see cref="Watch"/> was last set for.</summary>
    public Instant WatchDue { get; set; }

    /// <summary>When it last confirmed a frame, or had none to confirm.</summary>
    public Instant ConfirmedAt { get; set; }

    /// <summary>How many frames it had confirmed at its last heartbeat.</summary>
    public ulong Confirmed { get; set; }

    /// <summary>The region at its limit of views that holds its changes back; null when none does.</summary>
    public ServerRegion? HeldBackBy { get; set; }

    /// <summary>Its region after the last step; null while it is in no group.</summary>
    public ServerRegion? Region { get; set; }

    /// <summary>The last step made before it registered; it gets all later ones.</summary>
    public ulong BaseStep { get; init; }

    /// <summary>The last step that it has installed.</summary>
    public ulong Installed { get; set; }

    /// <summary>The joins and leaves it has asked for and that no step has made true yet, in order.</summary>
    public List<GroupChange> WaitingChanges { get; set; } = [];

    /// <summary>How many of <see cref="WaitingChanges"/> are joins.</summary>
    public int WaitingJoins { get; set; }

    /// <summary>Groups that were made because it asked for them, and that are not forgotten.</summary>
    public int GroupsMade { get; set; }

    /// <summary>The joins it has asked for whose names have not been looked up.</summary>
    public List<(string Name, byte Mode)> Deferred { get; } = [];

    /// <summary>The step in which it left a group, for leaves it may not have installed.</summary>
    public Dictionary<uint, ulong> LeftIn { get; } = [];

    /// <summary>The last step in which it left any group.</summary>
    public ulong LastLeave { get; set; }

    /// <summary>The groups that it was in under the server before this one, until the first step has taken them over.</summary>
    public uint[]? Inherited { get; set; }

    /// <summary>It was admitted by a server before this one, and may know more nodes than this server has described to it.</summary>
    public bool IsInherited { get; init; }

    /// <summary>Nodes that have been described to it.</summary>
    public NodeBits Known { get; } = new();

    /// <summary>Its groups after the last step.</summary>
    public uint[] Groups => Region?.Groups ?? [];
}
