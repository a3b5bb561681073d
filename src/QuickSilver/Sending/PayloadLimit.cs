namespace QuickSilver.Sending;

/// <summary>The refusal of messages that are too long.</summary>
internal static class PayloadLimit
{
    /// <summary>Makes the exception.</summary>
    public static PayloadTooLargeException Exceeded(long bytes, long limit) =>
        new(
            ErrorCode.PayloadTooLarge,
            $"A message of {bytes} bytes is longer than Pending.MaxMessageBytes ({limit}): split it, or raise the option (16 MiB at most).")
        {
            Limit = limit,
        };
}
