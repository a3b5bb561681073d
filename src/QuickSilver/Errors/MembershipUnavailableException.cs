namespace QuickSilver;

/// <summary>The membership server cannot be reached, refused this node, or cannot be hosted at the configured
/// address.</summary>
/// <param name="code">The cause.</param>
/// <param name="message">Readable description, with a remedy where there is one.</param>
/// <param name="inner">The exception that led to this one, if any.</param>
public sealed class MembershipUnavailableException(ErrorCode code, string message, Exception? inner = null)
    : QuickSilverException(code, message, inner);
