namespace QuickSilver.WideArea;

/// <summary>Whether one site holds a message. Part of <see cref="SiteConfirmation"/>.</summary>
/// <param name="Site">Name of the site.</param>
/// <param name="State">Whether it does.</param>
public sealed record SiteReceipt(string Site, SiteReceiptState State);
