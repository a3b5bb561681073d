namespace QuickSilver;

/// <summary>The base of what QuickSilver throws beside the framework's own argument and state exceptions.</summary>
/// <remarks>Not sealed so that the reasons below have types of their own; not meant for others to derive from.</remarks>
public class QuickSilverException : Exception
{
    /// <summary>Makes an exception.</summary>
    /// <param name="code">What went wrong, stable across versions.</param>
    /// <param name="message">What went wrong, for people.</param>
    /// <param name="inner">What caused it.</param>
    public QuickSilverException(ErrorCode code, string message, Exception? inner = null)
        : base(message, inner) => Code = code;

    /// <summary>What went wrong, stable across versions.</summary>
    public ErrorCode Code { get; }

    /// <summary>State of the node when it went wrong, for people: loop lag, inbox depth, thread-pool queue, last view. May be empty.</summary>
    public string Diagnostics { get; init; } = "";
}
