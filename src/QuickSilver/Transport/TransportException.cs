namespace QuickSilver.Transport;

/// <summary>A transport cannot start as it was told to. The front door turns it into the public exception.</summary>
/// <param name="failure">What is missing.</param>
/// <param name="message">What was tried, for people.</param>
/// <param name="inner">The socket's own words.</param>
internal sealed class TransportException(TransportFailure failure, string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>What is missing.</summary>
    public TransportFailure Failure { get; } = failure;

    /// <summary>True when it may pass by itself: an interface that is there may come up, one that has just gone may come back.</summary>
    public bool MayPass { get; init; }
}
