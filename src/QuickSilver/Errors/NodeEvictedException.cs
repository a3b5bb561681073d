using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The node was removed from the cluster while it lived: it was silent for too long, its connection did not come back, no datagrams passed
/// between it and others, another process took its place, or its young cluster gave way to an older one; the message says which. Ends every group
/// handle.</summary>
/// <param name="code">What went wrong.</param>
/// <param name="message">What went wrong, for people.</param>
/// <param name="inner">What caused it.</param>
[JsonConverter(typeof(FailureJsonConverter))]
public sealed class NodeEvictedException(ErrorCode code, string message, Exception? inner = null) : QuickSilverException(code, message, inner)
{
    /// <summary>Messages sent and not known to be held by every member when the node was removed.</summary>
    public long MessagesInDoubt { get; init; }
}
