namespace QuickSilver.Typed;

/// <summary>Settings of a request group at one node.</summary>
public sealed class RequestGroupOptions
{
    internal static readonly TimeSpan LongestTimeout = TimeSpan.FromHours(12);

    /// <summary>How long a request waits for its answers unless it says so itself. Default: 5 s.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Limit on requests that the responder of this node handles at the same time. One more is answered with
    /// an error. Default: 256.</summary>
    public int MaxConcurrency { get; set; } = 256;

    internal void Validate(string parameter)
    {
        if (Timeout <= TimeSpan.Zero || Timeout > LongestTimeout)
            throw new ArgumentException($"Timeout: {Timeout} is not above zero and at most 12 hours.", parameter);
        if (MaxConcurrency < 1)
            throw new ArgumentException($"MaxConcurrency: {MaxConcurrency} is not 1 or more.", parameter);
    }
}
