using System.Buffers;
using System.Text.Json;

namespace QuickSilver.Monitoring;

/// <summary>Writes snapshots as JSON within a limit. Keeps its buffer; one thread at a time.</summary>
internal sealed class SnapshotWriter
{
    private readonly ArrayBufferWriter<byte> _buffer = new(4 << 10);

    /// <summary>Writes a snapshot. While it is too long, the second half of each list of groups, regions and views is
    /// left out, then the short lists.</summary>
    /// <param name="snapshot">The snapshot; its lists begin with what matters most.</param>
    /// <param name="limit">The most bytes.</param>
    /// <returns>The bytes, valid until the next call; empty when even the counters do not fit.</returns>
    public ReadOnlySpan<byte> Write(NodeSnapshot snapshot, int limit)
    {
        NodeSnapshot? next = snapshot;
        while (next is not null)
        {
            _buffer.ResetWrittenCount();
            using (var writer = new Utf8JsonWriter(_buffer))
                JsonSerializer.Serialize(writer, next, SnapshotJson.Default.NodeSnapshot);
            if (_buffer.WrittenCount <= limit) return _buffer.WrittenSpan;
            next = Shorten(next);
        }
        return [];
    }

    private static NodeSnapshot? Shorten(NodeSnapshot snapshot)
    {
        if (snapshot.Groups.Count + snapshot.Regions.Count + snapshot.Views.Count > 0)
        {
            return snapshot with
            {
                Groups = Half(snapshot.Groups),
                Regions = Half(snapshot.Regions),
                Views = Half(snapshot.Views),
            };
        }
        bool isShortest = snapshot.Slowest.Count + snapshot.Inboxes.Count == 0;
        return isShortest ? null : snapshot with { Slowest = [], Inboxes = [] };
    }

    private static List<T> Half<T>(IReadOnlyList<T> list) => [.. list.Take(list.Count / 2)];
}
