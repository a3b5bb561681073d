using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The membership server cannot be reached, refused this node, or cannot be hosted where this node was told to.</summary>
/// <param name="code">What went wrong.</param>
/// <param name="message">What went wrong, for people.</param>
/// <param name="inner">What caused it.</param>
[JsonConverter(typeof(FailureJsonConverter))]
public sealed class MembershipUnavailableException(ErrorCode code, string message, Exception? inner = null)
    : QuickSilverException(code, message, inner);
