using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What came from the membership server broke the protocol.</summary>
/// <param name="code">What went wrong.</param>
/// <param name="message">What went wrong, for people.</param>
/// <param name="inner">What caused it.</param>
[JsonConverter(typeof(FailureJsonConverter))]
public sealed class WireProtocolException(ErrorCode code, string message, Exception? inner = null) : QuickSilverException(code, message, inner);
