namespace QuickSilver;

/// <summary>Reports how the node's packets travel, as decided at start.</summary>
/// <param name="Chosen">The transport in use.</param>
/// <param name="Reason">Readable reason of the choice.</param>
public sealed record CarrierSelected(Carrier Chosen, string Reason) : NodeEvent;
