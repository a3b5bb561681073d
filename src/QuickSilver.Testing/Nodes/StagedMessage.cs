namespace QuickSilver.Testing.Nodes;

/// <summary>A message that waits in a <see cref="SimulatedOutbox"/>.</summary>
/// <param name="Group">Its group.</param>
/// <param name="Ordinal">Its place among the group's messages.</param>
/// <param name="Bytes">Its length.</param>
/// <param name="IsHanded">True when it is handed over with a ticket; false: written.</param>
internal readonly record struct StagedMessage(SimulatedGroup Group, long Ordinal, int Bytes, bool IsHanded);
