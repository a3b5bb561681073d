using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Peers;

/// <summary>One setting that all systems are measured in.</summary>
internal sealed record PeerSetting
{
    public required NetProfile Net { get; init; }

    public required int Receivers { get; init; }

    /// <summary>Bytes of a message.</summary>
    public required int Size { get; init; }

    /// <summary>Share of packets that vanish before each receiver.</summary>
    public double Drop { get; init; }

    /// <summary>Share of datagrams that QuickSilver's receivers drop by themselves, where the network does
    /// not.</summary>
    public double NodeDrop { get; init; }

    /// <summary>Messages a second; 0: full speed.</summary>
    public double Rate { get; init; }

    public double WarmUpSeconds { get; init; }

    public double MeasuredSeconds { get; init; }

    /// <summary>Bytes of a packed raw datagram at most.</summary>
    public int Slot { get; init; }

    /// <summary>By which part of its API QuickSilver sends.</summary>
    public SendStyle Send { get; init; }

    /// <summary>Bytes of QuickSilver's datagrams; 0: its own choice.</summary>
    public int DatagramBytes { get; init; }

    /// <summary>Whether QuickSilver's packets carry a checksum of their payload.</summary>
    public PayloadChecksum Checksum { get; init; }

    /// <summary>The key of QuickSilver's secured rows, as base64.</summary>
    public string Key { get; } = RunSecurity.Key.Make()!;

    /// <summary>Groups that QuickSilver sends to in turn, where their number is varied; 0: one.</summary>
    public int Groups { get; init; }

    /// <summary>Whether the processes' methods are compiled once (<see cref="RoleOrder.CompilesOnce"/>).</summary>
    public bool CompilesOnce { get; init; }

    /// <summary>How QuickSilver's messages travel.</summary>
    public TransportKind Transport { get; init; }

    /// <summary>The hosts on which processes run; null: this machine, over <see cref="Net"/>.</summary>
    public AgentCluster? Agents { get; init; }

    /// <summary>Shown in tables.</summary>
    public string Text =>
        $"{Size} B to {Receivers}, {Agents?.Text ?? Net.ToString().ToLowerInvariant()}"
            + (Drop + NodeDrop > 0 ? $", {(Drop + NodeDrop) * 100:0.###} % loss" : "")
            + (Groups > 0 ? $", {Groups} groups, by {Send.ToString().ToLowerInvariant()}" : "");

    /// <summary>The part of an order that is the same for all.</summary>
    public RoleOrder Order(RoleKind role, string name, int number, string address, string server) => new()
    {
        Role = role,
        Name = name,
        Number = number,
        Receivers = Receivers,
        Groups = Math.Max(1, Groups),
        CompilesOnce = CompilesOnce,
        Size = Size,
        WarmUpSeconds = WarmUpSeconds,
        MeasuredSeconds = MeasuredSeconds,
        Rate = Rate,
        Send = Send,
        Transport = Transport,
        DatagramBytes = DatagramBytes,
        Checksum = Checksum,
        Address = address,
        ServerAddress = server,
    };
}
