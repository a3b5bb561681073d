using System.Security.Cryptography;
using System.Text.Json.Serialization;

namespace QuickSilver.Scenarios.Wide;

/// <summary>What a process of a site is told at its start, as a line of JSON.</summary>
internal sealed record SitePlan
{
    private const int KeyBytes = 32;

    /// <summary>Index of the site.</summary>
    public required int Site { get; init; }

    /// <summary>Names of all sites.</summary>
    public required string[] Names { get; init; }

    /// <summary>The links, by the indices of their ends.</summary>
    public required SitePlanLink[] Links { get; init; }

    /// <summary>What joins the gateways.</summary>
    public required WideLinkKind Kind { get; init; }

    /// <summary>Name of the overlay.</summary>
    public required string Overlay { get; init; }

    /// <summary>The gateways' key, in base 64.</summary>
    public required string Key { get; init; }

    /// <summary>Folder of the gateways' certificates (<see cref="WideCertificates"/>); null where no link needs them.
    /// </summary>
    public string? Certificates { get; init; }

    /// <summary>The port of the process's gateway; 0: it has none.</summary>
    public int GatewayPort { get; init; } = SitePorts.First;

    /// <summary>Index of the site that has two gateways, each a process; negative: none has.</summary>
    public int TwoGatewaysAt { get; init; } = -1;

    /// <summary>Whether the process has a member of the site.</summary>
    public bool HasMember { get; init; } = true;

    /// <summary>Whether the sites are checked under faults, with the order of all; else they are measured.</summary>
    public bool IsChecked { get; init; }

    /// <summary>That of the first site of a new overlay.</summary>
    /// <param name="names">The sites.</param>
    /// <param name="links">Their links.</param>
    /// <param name="kind">What joins the gateways.</param>
    /// <param name="cost">What each link costs; zero: measured.</param>
    public static SitePlan Of(
        string[] names, IReadOnlyList<WideLink> links, WideLinkKind kind, TimeSpan cost = default) => new()
        {
            Site = 0,
            Names = names,
            Links = [.. links.Select(link => new SitePlanLink(link.First, link.Second, cost.TotalMilliseconds))],
            Kind = kind,
            Overlay = Guid.NewGuid().ToString("N"),
            Key = Convert.ToBase64String(RandomNumberGenerator.GetBytes(KeyBytes)),
        };
}

/// <summary>A link of a plan.</summary>
/// <param name="First">Index of the site at one end.</param>
/// <param name="Second">Index of the site at the other.</param>
/// <param name="CostMilliseconds">Its cost; 0: measured.</param>
internal sealed record SitePlanLink(int First, int Second, double CostMilliseconds);

/// <summary>Ports of gateways.</summary>
internal static class SitePorts
{
    /// <summary>That of the first gateway of a site.</summary>
    public const int First = 16_900;

    /// <summary>That of the second.</summary>
    public const int Second = 16_901;
}

/// <summary>Plans as JSON, by generated code.</summary>
[JsonSerializable(typeof(SitePlan))]
internal sealed partial class SitePlanJson : JsonSerializerContext;
