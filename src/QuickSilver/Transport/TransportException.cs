namespace QuickSilver.Transport;

/// <summary>Reports that a transport cannot start with its settings. The node's start converts it to the public
/// exception.</summary>
/// <param name="failure">The missing resource.</param>
/// <param name="message">The attempt and its failure, for the user.</param>
/// <param name="inner">The exception of the socket; or null.</param>
internal sealed class TransportException(TransportFailure failure, string message, Exception? inner = null)
    : Exception(message, inner)
{
    /// <summary>The missing resource.</summary>
    public TransportFailure Failure { get; } = failure;

    /// <summary>True when the failure may pass: an existing interface may come up, and one that has just disappeared
    /// may return.</summary>
    public bool MayPass { get; init; }
}
