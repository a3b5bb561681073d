namespace QuickSilver;

/// <summary>A message is longer than <see cref="PendingOptions.MaxMessageBytes"/>.</summary>
/// <param name="code">The cause.</param>
/// <param name="message">Readable description, with a remedy where there is one.</param>
/// <param name="inner">The exception that led to this one, if any.</param>
public sealed class PayloadTooLargeException(ErrorCode code, string message, Exception? inner = null)
    : QuickSilverException(code, message, inner)
{
    /// <summary>The limit, in bytes.</summary>
    public long Limit { get; init; }
}
