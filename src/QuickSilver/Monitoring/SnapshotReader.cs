using System.Text.Json;

namespace QuickSilver.Monitoring;

/// <summary>Reads snapshots of other nodes, which may be anything. Total: what breaks a bound is no snapshot. Any
/// thread.</summary>
internal static class SnapshotReader
{
    /// <summary>Reads a snapshot; null when it breaks a bound. Allocates in proportion to its length, of which
    /// <see cref="SnapshotLimits.Bytes"/> is the limit.</summary>
    /// <param name="payload">The bytes of the message.</param>
    /// <param name="sender">The node that sent it: what the text says of that is not looked at.</param>
    public static NodeSnapshot? TryRead(ReadOnlySpan<byte> payload, Member sender)
    {
        if (payload.Length is 0 or > SnapshotLimits.Bytes) return null;
        NodeSnapshot? read;
        try
        {
            read = JsonSerializer.Deserialize(payload, SnapshotJson.Default.NodeSnapshot);
        }
        catch (Exception fault) when (fault is JsonException or FormatException or ArgumentException
            or InvalidOperationException or OverflowException or NotSupportedException)
        {
            return null;
        }
        if (read is null) return null;
        // Generated code leaves null what the text does not have.
        NodeSnapshot snapshot = read with
        {
            Member = sender,
            Version = read.Version ?? "",
            Slowest = read.Slowest ?? [],
            Groups = read.Groups ?? [],
            Regions = read.Regions ?? [],
            Views = read.Views ?? [],
            Inboxes = read.Inboxes ?? [],
        };
        return SnapshotRules.IsGood(snapshot) ? snapshot : null;
    }
}
