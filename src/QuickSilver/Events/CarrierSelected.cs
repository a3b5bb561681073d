namespace QuickSilver;

/// <summary>How regions are carried, as found out at start.</summary>
/// <param name="Chosen">What is used.</param>
/// <param name="Reason">Why, for people.</param>
public sealed record CarrierSelected(Carrier Chosen, string Reason) : NodeEvent;
