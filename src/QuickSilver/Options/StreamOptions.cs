namespace QuickSilver;

/// <summary>How a message is written as a stream. See <see cref="GroupSender.OpenWriter"/>.</summary>
public sealed class StreamOptions
{
    /// <summary>Length in bytes when known in advance: too large is then refused at once.</summary>
    public long? Length { get; set; }

    /// <summary>The writer's flush waits while more than this many bytes are written and not yet taken. Default: 256 KiB.</summary>
    public int PauseBytes { get; set; } = 256 << 10;
}
