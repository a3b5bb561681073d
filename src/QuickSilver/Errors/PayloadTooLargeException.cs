using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>A message is longer than <see cref="PendingOptions.MaxMessageBytes"/>.</summary>
/// <param name="code">What went wrong.</param>
/// <param name="message">What went wrong, for people.</param>
/// <param name="inner">What caused it.</param>
[JsonConverter(typeof(FailureJsonConverter))]
public sealed class PayloadTooLargeException(ErrorCode code, string message, Exception? inner = null) : QuickSilverException(code, message, inner)
{
    /// <summary>The limit, in bytes.</summary>
    public long Limit { get; init; }
}
