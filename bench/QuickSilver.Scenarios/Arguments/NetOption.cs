using System.CommandLine;
using QuickSilver.Bench.Lab;

namespace QuickSilver.Scenarios.Arguments;

/// <summary>The option that names the network of a scenario.</summary>
internal static class NetOption
{
    /// <summary>Makes it; a network that cannot be made here is refused before anything starts.</summary>
    public static Option<NetProfile> Make()
    {
        var option = new Option<NetProfile>("--net")
        {
            Description = "host, loopback, bridge or wire. Default: loopback where this program may make network "
                + "namespaces, else host.",
            DefaultValueFactory = _ => NetworkLab.CanMake ? NetProfile.Loopback : NetProfile.Host,
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
