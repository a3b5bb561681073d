using System.Text.Json.Serialization;

namespace QuickSilver.Scenarios.Wide;

/// <summary>What a process of a site is told at its start, as a line of JSON.</summary>
internal sealed record SitePlan
{
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
}

/// <summary>A link of a plan.</summary>
/// <param name="First">Index of the site at one end.</param>
/// <param name="Second">Index of the site at the other.</param>
/// <param name="CostMilliseconds">Its cost; 0: measured.</param>
internal sealed record SitePlanLink(int First, int Second, double CostMilliseconds);

/// <summary>Plans as JSON, by generated code.</summary>
[JsonSerializable(typeof(SitePlan))]
internal sealed partial class SitePlanJson : JsonSerializerContext;
