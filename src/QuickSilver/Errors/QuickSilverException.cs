using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The base of what QuickSilver throws beside the framework's own argument and state exceptions.</summary>
/// <remarks>Not sealed so that the reasons below have types of their own; not meant for others to derive from.</remarks>
[JsonConverter(typeof(FailureJsonConverter))]
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

    /// <summary>State of the node when a join took too long or a reader was too slow, for people: its state, the membership, the longest turn, the
    /// thread pool, the group's view. Empty otherwise.</summary>
    public string Diagnostics { get; init; } = "";
}
