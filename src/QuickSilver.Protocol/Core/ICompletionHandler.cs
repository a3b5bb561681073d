namespace QuickSilver.Protocol.Core;

/// <summary>Handles completions, one at a time, on the core thread.</summary>
public interface ICompletionHandler
{
    /// <summary>Handles one read, or the word that a socket was found empty.</summary>
    /// <param name="completion">The read. To keep its bytes, put another pinned buffer of the same length in the place of its buffer: the queue gets
    /// that one back.</param>
    /// <param name="now">The present instant.</param>
    void Handle(ref Completion completion, Instant now);
}
