namespace QuickSilver.Testing;

/// <summary>A run broke one of the protocol's promises. The message names the invariant, what was seen, where and when,
/// and how to run it again.</summary>
internal sealed class InvariantViolationException : Exception
{
    /// <summary>Makes the exception.</summary>
    public InvariantViolationException() => Invariant = string.Empty;

    /// <summary>Makes the exception with a message.</summary>
    public InvariantViolationException(string message) : base(message) => Invariant = string.Empty;

    /// <summary>Makes the exception with a message and a cause.</summary>
    public InvariantViolationException(string message, Exception innerException) : base(message, innerException) =>
        Invariant = string.Empty;

    /// <summary>Makes the exception.</summary>
    /// <param name="invariant">Id of the invariant, as in <c>docs/testing.md</c>.</param>
    /// <param name="message">What was seen, and how to run it again.</param>
    /// <param name="innerException">What came out of the core, for E1; else null.</param>
    public InvariantViolationException(string invariant, string message, Exception? innerException = null)
        : base(message, innerException) => Invariant = invariant;

    /// <summary>Id of the invariant.</summary>
    public string Invariant { get; }
}
