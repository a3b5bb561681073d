using System.CommandLine;
using QuickSilver.Bench.Lab;

namespace QuickSilver.Scenarios.Arguments;

/// <summary>The option that names the network of a scenario.</summary>
internal static class NetOption
{
    /// <summary>Makes it; a network that cannot be made here is refused before anything starts.</summary>
    public static Option<NetProfile> Make() => Make(
        "Default: loopback where this program may make network namespaces, else host.", NetProfile.Loopback);

    /// <summary>Makes it for a scenario under loss.</summary>
    public static Option<NetProfile> MakeForLoss() => Make(
        "Default: bridge, where the firewall drops; host, where members drop by themselves, if this program may not "
        + "make network namespaces.",
        NetProfile.Bridge);

    private static Option<NetProfile> Make(string defaults, NetProfile inNamespaces)
    {
        var option = new Option<NetProfile>("--net")
        {
            Description = "host, loopback, bridge or wire. " + defaults,
            DefaultValueFactory = _ => NetworkLab.CanMake ? inNamespaces : NetProfile.Host,
        };
        option.Validators.Add(result =>
        {
            if (!result.Errors.Any() && NetworkLab.Refusal(result.GetValueOrDefault<NetProfile>()) is { } refusal)
            {
                result.AddError($"{option.Name}: {refusal}.");
            }
        });
        return option;
    }
}
