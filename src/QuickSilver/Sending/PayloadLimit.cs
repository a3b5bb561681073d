namespace QuickSilver.Sending;

/// <summary>The error for messages that are too long.</summary>
internal static class PayloadLimit
{
    /// <summary>Creates the exception for a message of <paramref name="bytes"/> bytes.</summary>
    public static PayloadTooLargeException Exceeded(long bytes, long limit) =>
        new(
            ErrorCode.PayloadTooLarge,
            $"A message of {bytes} bytes is longer than {limit}, the limit of Pending.MaxMessageBytes "
            + "(16 MiB at most), or in a timed group of Timed.MaxMessageBytes (1 MiB at most): split it, or raise it.")
        {
            Limit = limit,
        };
}
