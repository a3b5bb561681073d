namespace QuickSilver.Bench.Chaos;

/// <summary>A message as a receiver's log has it.</summary>
/// <param name="Number">Its number per (life, group).</param>
/// <param name="Stamp">When its sender handed it over.</param>
/// <param name="Received">When it was read.</param>
internal readonly record struct LoggedMessage(ulong Number, long Stamp, long Received);
