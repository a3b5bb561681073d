using System.Reflection;
using QuickSilver.Bench.Chaos;
using QuickSilver.Bench.Longs;
using QuickSilver.Bench.Modes;
using QuickSilver.Bench.Overlaps;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Rounds;
using QuickSilver.Bench.Streams;

namespace QuickSilver.Bench.Roles;

/// <summary>The entry of a child process.</summary>
internal static class RoleProgram
{
    private const string TieredCompilation = "DOTNET_TieredCompilation";

    /// <summary>The command word that leads here.</summary>
    public const string Word = "role";

    /// <summary>The command that starts the running program once more, as a child that does what its standard input
    /// orders. The program's entry has to lead here when it is given the word.</summary>
    public static IReadOnlyList<string> Command() => ChildProcess.CommandOf(Assembly.GetEntryAssembly()!, Word);

    /// <summary>What is added to the environment of a child: methods are compiled as the runtime comes, unless the one
    /// who started this program said otherwise. This program's own setting is for the process that reports.</summary>
    /// <param name="order">What the child is told.</param>
    /// <param name="launch">How it is started; null: as this program again.</param>
    public static Dictionary<string, string> EnvironmentOf(RoleOrder order, RoleLaunch? launch)
    {
        var environment = new Dictionary<string, string>(launch?.Environment ?? new Dictionary<string, string>());
        if (order.CompilesOnce) environment[TieredCompilation] = "0";
        else environment.TryAdd(TieredCompilation, Environment.GetEnvironmentVariable(TieredCompilation) ?? "1");
        return environment;
    }

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
                RoleKind.StartsMember => StartsRole.RunAsync(channel),
                RoleKind.JoinsMember => JoinsRole.RunMemberAsync(channel),
                RoleKind.JoinsAlone => JoinsRole.RunAloneAsync(channel),
                RoleKind.DisturbedMember => DisturbedRole.RunAsync(channel),
                RoleKind.ChaosMember => ChaosRole.RunAsync(channel),
                RoleKind.TcpSender => TcpRoles.SendAsync(channel),
                RoleKind.TcpReceiver => TcpRoles.ReceiveAsync(channel),
                RoleKind.StreamSender => StreamRoles.SendAsync(channel),
                RoleKind.StreamReceiver => StreamRoles.ReceiveAsync(channel),
                RoleKind.RoundSender => RoundSenderRole.RunAsync(channel),
                RoleKind.RoundReceiver => RoundReceiverRole.RunAsync(channel),
                RoleKind.ModesMember => ModesRole.RunAsync(channel),
                RoleKind.ModesTcpMember => ModesTcpRole.RunAsync(channel),
                RoleKind.LongSender => LongRoles.SendAsync(channel),
                RoleKind.LongReceiver => LongRoles.ReceiveAsync(channel),
                RoleKind.OverlapMember => OverlapRole.RunAsync(channel),
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
