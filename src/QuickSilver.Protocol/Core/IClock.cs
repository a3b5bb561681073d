namespace QuickSilver.Protocol.Core;

/// <summary>
/// A monotonic clock, read by the loop once a turn and after each batch of completions; protocol elements are passed
/// <c>now</c> instead.
/// </summary>
internal interface IClock
{
    /// <summary>The present instant; never goes back.</summary>
    Instant Now { get; }
}
