using QuickSilver.Bench.Traffic;
using QuickSilver.Testing;

namespace QuickSilver.Bench.Roles;

/// <summary>Starts the node of a child process and joins its groups.</summary>
internal static class RoleNode
{
    /// <summary>The groups of a run, by number.</summary>
    public static IReadOnlyList<string> GroupNames(int count) =>
        [.. Enumerable.Range(0, count).Select(number => $"g{number}")];

    /// <summary>The mode of the groups of a run.</summary>
    public static ModeOptions ModeOf(RoleOrder order) =>
        order.Level is { } level ? new OrderedMode { Level = level } : new ReliableMode();

    /// <summary>Begins to note the process's memory, if ordered.</summary>
    public static MemoryLog? NoteMemory(RoleOrder order) =>
        order.NotesMemory ? new MemoryLog(order.CollectSeconds) : null;

    /// <summary>Starts a node as ordered.</summary>
    public static Task<QuickSilverNode> StartAsync(RoleOrder order)
    {
        var options = new QuickSilverOptions { ClusterName = order.Cluster, NodeName = order.Name };
        options.Membership.Port = order.MembershipPort;
        options.Transport.Kind = order.Transport;
        options.Transport.MaxDatagramBytes = order.DatagramBytes;
        options.Transport.PayloadChecksum = order.Checksum;
        options.Transport.SharedMemory = order.SharesMemory;
        options.Security.UseRunKey(order.Key);
        if (order.MaxRegions > 0) options.Membership.MaxRegions = order.MaxRegions;
        if (order.MostHybrid > 0) options.Transport.MaxHybridGroups = order.MostHybrid;
        if (order.MulticastPool is { } pool) options.Transport.MulticastPool = pool;
        if (order.SpinMicros > 0) options.Loop.Spin = TimeSpan.FromMicroseconds(order.SpinMicros);
        if (order.MembershipServer is { } server)
        {
            options.Membership.Mode = order.Role == RoleKind.Host ? MembershipMode.Host : MembershipMode.Client;
            options.Membership.Servers.Add(server);
            options.Transport.Interface = order.Address;
        }
        if (order.Drop > 0)
            options.Faults = new FaultOptions { DropReceived = order.Drop, Seed = (ulong)order.Number + 1 };
        return QuickSilverNode.StartAsync(options);
    }
}
