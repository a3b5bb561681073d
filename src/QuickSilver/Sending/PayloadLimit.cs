namespace QuickSilver.Sending;

/// <summary>The limit on the length of a message, and the option that sets it.</summary>
/// <param name="Bytes">The longest message, in bytes.</param>
/// <param name="Option">The option that says so.</param>
/// <param name="Most">The highest value of the option, as text.</param>
internal readonly record struct PayloadLimit(int Bytes, string Option, string Most)
{
    /// <summary>The limit of a node, or less where the mode of the group says so.</summary>
    /// <param name="node">The node's option.</param>
    /// <param name="mode">The limit of the group's mode.</param>
    public static PayloadLimit Of(int node, int mode) => mode < node
        ? new PayloadLimit(mode, "Timed.MaxMessageBytes", "1 MiB")
        : new PayloadLimit(node, "Pending.MaxMessageBytes", "16 MiB");

    /// <summary>Creates the exception for a message of <paramref name="bytes"/> bytes.</summary>
    public PayloadTooLargeException Exceeded(long bytes) =>
        new(
            ErrorCode.PayloadTooLarge,
            $"A message of {bytes} bytes is longer than {Option} ({Bytes}): "
            + $"split it, or raise the option ({Most} at most).")
        {
            Limit = Bytes,
        };
}
