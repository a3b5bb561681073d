namespace QuickSilver;

/// <summary>The membership server sent data that breaks the protocol.</summary>
/// <param name="code">The cause.</param>
/// <param name="message">Readable description, with a remedy where there is one.</param>
/// <param name="inner">The exception that led to this one, if any.</param>
public sealed class WireProtocolException(ErrorCode code, string message, Exception? inner = null)
    : QuickSilverException(code, message, inner);
