using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The membership server, or the cluster behind it, speaks another version.</summary>
/// <param name="code">What went wrong.</param>
/// <param name="message">What went wrong, for people.</param>
/// <param name="inner">What caused it.</param>
[JsonConverter(typeof(FailureJsonConverter))]
public sealed class IncompatibleVersionException(ErrorCode code, string message, Exception? inner = null)
    : QuickSilverException(code, message, inner);
