using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulation.Tests.Planted.Targeted;

/// <summary>
/// What runs have in common that are aimed at one kind of defect each, where random runs would need too many seeds. The
/// seed still decides the network and all else.
/// </summary>
internal static class TargetedRun
{
    /// <summary>The group of most runs.</summary>
    public const string Main = "group";

    /// <summary>The same, lateral.</summary>
    public const string MainLateral = SimulatedModes.Lateral + Main;

    /// <summary>A timed one.</summary>
    public const string MainTimed = SimulatedModes.Timed + "g";

    public static MembershipServerSettings Hasty() =>
        new() { FailureTimeout = Millis(3000), ReconnectGrace = Millis(500) };

    public static RunSpec Make(
        ulong seed, int nodes, NodeSettings? node = null, MembershipServerSettings? membership = null) => new()
        {
            Options = new SimulationOptions
            {
                Nodes = nodes,
                Seed = seed,
                Restarts = nodes,
                Network = new NetworkModel { Link = new LinkModel { Loss = 0.02 } },
                Membership = membership ?? new MembershipServerSettings { FailureTimeout = Millis(600_000) },
                Node = node ?? new NodeSettings(),
            },
            Groups = [.. Enumerable.Repeat<IReadOnlyList<string>>([Main], nodes)],
            HealAt = Millis(6000),
            SettleLimit = Millis(30_000),
        };

    public static TimeSpan Millis(double milliseconds) => TimeSpan.FromMilliseconds(milliseconds);
}
