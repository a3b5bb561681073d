using QuickSilver.Scenarios.Chaos;

using QuickSilver.Scenarios.Streams;

namespace QuickSilver.Scenarios.Roles;

/// <summary>The entry of a child process.</summary>
internal static class RoleProgram
{
    /// <summary>The command word that leads here.</summary>
    public const string Word = "role";

    /// <summary>Does what standard input orders; returns only on failure, since a child ends with its standard
    /// input.</summary>
    public static async Task<int> RunAsync()
    {
        RoleChannel channel = RoleChannel.Open();
        try
        {
            await (channel.Order.Role switch
            {
                RoleKind.Sender => SenderRole.RunAsync(channel),
                RoleKind.Receiver => ReceiverRole.RunAsync(channel),
                RoleKind.RawSender => RawRoles.SendAsync(channel),
                RoleKind.RawReceiver => RawRoles.ReceiveAsync(channel),
                RoleKind.HerdMember => HerdRole.RunAsync(channel),
                RoleKind.JoinsMember => JoinsRole.RunMemberAsync(channel),
                RoleKind.JoinsAlone => JoinsRole.RunAloneAsync(channel),
                RoleKind.DisturbedMember => DisturbedRole.RunAsync(channel),
                RoleKind.ChaosMember => ChaosRole.RunAsync(channel),
                RoleKind.TcpSender => TcpRoles.SendAsync(channel),
                RoleKind.TcpReceiver => TcpRoles.ReceiveAsync(channel),
                RoleKind.StreamSender => StreamRoles.SendAsync(channel),
                RoleKind.StreamReceiver => StreamRoles.ReceiveAsync(channel),
                RoleKind.Host => HostRole.RunAsync(channel),
                _ => IdleRole.RunAsync(channel),
            });
            return 0;
        }
        catch (Exception failure)
        {
            channel.TellFailure(failure.ToString());
            return 1;
        }
    }
}
