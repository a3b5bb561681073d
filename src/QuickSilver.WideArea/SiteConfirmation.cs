using System.Text.Json.Serialization;

namespace QuickSilver.WideArea;

/// <summary>Who holds a message that <see cref="SiteView.SendConfirmedAsync"/> has sent. All members of the own site's
/// view hold it. Immutable.</summary>
/// <param name="Own">The confirmation of the own site.</param>
/// <param name="Result">What became of it on its way to other sites.</param>
/// <param name="Sites">The other sites that had members of the group, in the order of their names.</param>
public sealed record SiteConfirmation(
    DeliveryReport Own, SiteConfirmationResult Result, IReadOnlyList<SiteReceipt> Sites)
{
    /// <summary>True when each site with members holds it.</summary>
    [JsonIgnore]
    public bool IsHeldByAll =>
        Result == SiteConfirmationResult.Told && Sites.All(static site => site.State == SiteReceiptState.Held);

    /// <summary>Names of the sites that hold it.</summary>
    [JsonIgnore]
    public IReadOnlyList<string> Holding => [.. Sites.Where(static site => site.State == SiteReceiptState.Held)
        .Select(static site => site.Site)];

    /// <summary>Names of the sites that do not hold it, as far as is known.</summary>
    [JsonIgnore]
    public IReadOnlyList<string> NotHolding => [.. Sites.Where(static site => site.State != SiteReceiptState.Held)
        .Select(static site => site.Site)];
}
