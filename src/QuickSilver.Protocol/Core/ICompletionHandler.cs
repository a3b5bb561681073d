namespace QuickSilver.Protocol.Core;

/// <summary>Handles completions, one at a time, on the core thread.</summary>
internal interface ICompletionHandler
{
    /// <summary>Handles one read, or the report that a socket was found empty.</summary>
    /// <param name="completion">The read. To keep its bytes, replace its buffer with another pinned buffer of the same
    /// length: that one returns to the queue.</param>
    /// <param name="now">The present instant.</param>
    void Handle(ref Completion completion, Instant now);
}
