using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Overlaps;

/// <summary>Counts and checks what one node gets in all of its groups. The core thread receives; others read when
/// nothing comes any more.</summary>
/// <param name="order">The pattern.</param>
/// <param name="size">Bytes of a message.</param>
internal sealed class OverlapSink(OverlapOrder order, int size)
{
    private readonly string[] _names = [.. Enumerable.Range(0, order.Groups).Select(NameOf)];
    private readonly long[] _last = new long[order.Nodes * order.Groups];
    private long _all;

    /// <summary>Messages so far. Any thread.</summary>
    public long All => Volatile.Read(ref _all);

    /// <summary>By group.</summary>
    public long[] Delivered { get; } = new long[order.Groups];

    /// <summary>Messages of the measured part.</summary>
    public long Measured { get; private set; }

    /// <summary>Damaged, in the wrong group, twice, or out of order.</summary>
    public long Faults { get; private set; }

    /// <summary>The name of a group.</summary>
    public static string NameOf(int group) => $"overlap/{group}";

    /// <summary>One message has come. Its head names the sender, too: sender x groups + group.</summary>
    public void OnMessage(in MessageRef message)
    {
        Volatile.Write(ref _all, _all + 1);
        MeasuredHeader header = message.Payload.Length == size ? MeasuredHeader.Read(message.Payload) : default;
        int group = header.Group % order.Groups;
        if (message.Payload.Length != size || (uint)header.Group >= (uint)_last.Length
            || !header.IsWhole(message.Payload) || message.Sequence != (ulong)header.Index
            || !string.Equals(_names[group], message.GroupName, StringComparison.Ordinal)
            || header.Index != _last[header.Group] + 1)
        {
            Faults++;
            return;
        }
        _last[header.Group] = header.Index;
        Delivered[group]++;
        if (header.Phase == RunPhase.Measured) Measured++;
    }
}
