namespace QuickSilver.Testing.Nodes;

/// <summary>One entry of a node's log of a group.</summary>
/// <param name="Sender">Index of the sending node.</param>
/// <param name="Number">Number of the message, per sender and group, from 1.</param>
internal readonly record struct ReceivedMessage(int Sender, ulong Number);
