namespace QuickSilver;

/// <summary>Base of all exceptions of a node and its groups, apart from the framework's own argument and state
/// exceptions. What a serializer or a responder of typed groups throws has types of its own.</summary>
/// <remarks>Unsealed because specific failures have their own types; other code should not derive from it.</remarks>
public class QuickSilverException : Exception
{
    /// <summary>Creates an exception.</summary>
    /// <param name="code">The cause, stable across versions.</param>
    /// <param name="message">Readable description, with a remedy where there is one.</param>
    /// <param name="inner">The exception that led to this one, if any.</param>
    public QuickSilverException(ErrorCode code, string message, Exception? inner = null)
        : base(message, inner) => Code = code;

    /// <summary>The cause, stable across versions.</summary>
    public ErrorCode Code { get; }

    /// <summary>Readable state of the node when a join took too long or a reader was too slow: the node's state, the
    /// membership, the longest turn, the thread pool, the group's view. Empty otherwise.</summary>
    public string Diagnostics { get; init; } = "";
}
