using QuickSilver.Bench.Reports;

namespace QuickSilver.Bench.Roles;

/// <summary>Hosts the membership where the scenario's own process cannot: in a network namespace. Joins no
/// group.</summary>
internal static class HostRole
{
    /// <summary>Hosts until the scenario is over.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        await using QuickSilverNode node = await RoleNode.StartAsync(channel.Order);
        channel.TellReady();
        await channel.Go;
        channel.TellResult(new ProcessReport { Process = channel.Order.Name, Role = nameof(RoleKind.Host) });
        await RoleChannel.StayAsync();
    }
}
