namespace QuickSilver.Typed;

/// <summary>A message of a typed group that is no value of its type: its envelope or payload breaks the format.
/// </summary>
/// <param name="Message">The message with its raw bytes, envelope included; a copy.</param>
/// <param name="Fault">What is wrong: a <see cref="FormatException"/> of the envelope, or the serializer's
/// exception.</param>
public sealed record UndeserializedMessage(Message Message, Exception Fault);
