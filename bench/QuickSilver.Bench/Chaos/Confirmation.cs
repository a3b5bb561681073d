namespace QuickSilver.Bench.Chaos;

/// <summary>A confirmed send that has returned.</summary>
/// <param name="Sender">Its sender's id.</param>
/// <param name="Group">The group.</param>
/// <param name="Number">The message's number.</param>
/// <param name="Stamp">When it was handed over.</param>
/// <param name="Returned">When the confirmation came.</param>
internal sealed record Confirmation(string Sender, int Group, ulong Number, long Stamp, long Returned);
