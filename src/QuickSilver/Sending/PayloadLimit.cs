namespace QuickSilver.Sending;

/// <summary>The error for messages that are too long.</summary>
internal static class PayloadLimit
{
    /// <summary>Creates the exception for a message of <paramref name="bytes"/> bytes.</summary>
    public static PayloadTooLargeException Exceeded(long bytes, long limit) =>
        new(
            ErrorCode.PayloadTooLarge,
            $"A message of {bytes} bytes is longer than Pending.MaxMessageBytes ({limit}): "
            + "split it, or raise the option (16 MiB at most).")
        {
            Limit = limit,
        };
}
