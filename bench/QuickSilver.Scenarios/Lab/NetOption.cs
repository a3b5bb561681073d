using System.CommandLine;

namespace QuickSilver.Scenarios.Lab;

/// <summary>The option that names the network of a scenario.</summary>
internal static class NetOption
{
    /// <summary>Makes it; a network that cannot be made here is refused before anything starts.</summary>
    public static Option<NetProfile> Make()
    {
        var option = new Option<NetProfile>("--net")
        {
            Description = "host, loopback, bridge or wire. Default: loopback where this program may make network namespaces, else host.",
            DefaultValueFactory = _ => NetworkLab.CanMake ? NetProfile.Loopback : NetProfile.Host,
        };
        option.Validators.Add(result =>
        {
            if (!NetworkLab.CanMake && !result.Errors.Any() && result.GetValueOrDefault<NetProfile>() != NetProfile.Host) result.AddError($"{option.Name} other than host needs Linux, root and iproute2.");
        });
        return option;
    }
}
