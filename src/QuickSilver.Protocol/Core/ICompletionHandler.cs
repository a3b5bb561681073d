namespace QuickSilver.Protocol.Core;

/// <summary>Handles completions, one at a time, on the core thread.</summary>
public interface ICompletionHandler
{
    /// <summary>Handles one read, or the word that a socket was found empty. Must not keep the buffer.</summary>
    void Handle(in Completion completion, Instant now);
}
