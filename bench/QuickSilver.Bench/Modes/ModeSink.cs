using System.Diagnostics;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Modes;

/// <summary>
/// Counts and checks what one member gets in the groups of one mode: every byte, none twice, and the order, which some
/// modes do not promise. One thread at a time receives; others read when nothing comes any more.
/// </summary>
/// <param name="order">The groups.</param>
/// <param name="size">Bytes of a message.</param>
internal sealed class ModeSink(ModeOrder order, int size)
{
    private const int WordBits = 64;

    private readonly string[] _names = [.. Enumerable.Range(0, order.Groups).Select(order.NameOf)];
    private readonly ulong[][] _seen = [.. Enumerable.Range(0, order.Groups).Select(static _ => new ulong[16])];
    private readonly long[] _last = new long[order.Groups];
    private readonly LatencyHistogram _latency = new();
    private long _delivered;
    private long _measured;
    private long _damaged;
    private long _twice;
    private long _overtaken;
    private long _firstTicks;
    private long _lastTicks;

    /// <summary>The groups.</summary>
    public ModeOrder Order => order;

    /// <summary>Messages so far. Any thread.</summary>
    public long Delivered => Volatile.Read(ref _delivered);

    /// <summary>One message has come.</summary>
    public void OnMessage(in MessageRef message)
    {
        long now = Stopwatch.GetTimestamp();
        if (TryRead(message.Payload, out MeasuredHeader header) && message.Sequence == (ulong)header.Index
            && string.Equals(_names[header.Group], message.GroupName, StringComparison.Ordinal))
        {
            Take(header, now);
            return;
        }
        _damaged++;
    }

    /// <summary>One message has come without QuickSilver.</summary>
    public void OnPayload(ReadOnlySpan<byte> payload)
    {
        long now = Stopwatch.GetTimestamp();
        if (TryRead(payload, out MeasuredHeader header)) Take(header, now);
        else _damaged++;
    }

    private bool TryRead(ReadOnlySpan<byte> payload, out MeasuredHeader header)
    {
        header = default;
        if (payload.Length != size) return false;
        header = MeasuredHeader.Read(payload);
        return (uint)header.Group < (uint)_names.Length && header.IsWhole(payload);
    }

    private void Take(in MeasuredHeader header, long now)
    {
        if (!TryMark(header.Group, header.Index))
        {
            _twice++;
            return;
        }
        Volatile.Write(ref _delivered, _delivered + 1);
        ref long last = ref _last[header.Group];
        if (header.Index < last) _overtaken++;
        else last = header.Index;
        if (header.Phase != RunPhase.Measured) return;
        if (_measured++ == 0) _firstTicks = now;
        _lastTicks = now;
        _latency.Record(now - header.Ticks);
    }

    /// <summary>What came, beside what was sent.</summary>
    public ModeReport Report(long sent, long measuredSent) => new()
    {
        Mode = order.Mode,
        Sent = sent,
        MeasuredSent = measuredSent,
        Delivered = _delivered,
        Measured = _measured,
        MeasuredSeconds = Stopwatch.GetElapsedTime(_firstTicks, _lastTicks).TotalSeconds,
        Damaged = _damaged,
        Twice = _twice,
        Overtaken = _overtaken,
        Latency = _latency.Summarize(),
        Buckets = _latency.Buckets(),
    };

    private bool TryMark(int group, long index)
    {
        ref ulong[] words = ref _seen[group];
        long word = index / WordBits;
        if (word >= words.Length) Array.Resize(ref words, (int)Math.Max(word + 1, 2L * words.Length));
        ulong bit = 1UL << (int)(index % WordBits);
        if ((words[word] & bit) != 0) return false;
        words[word] |= bit;
        return true;
    }
}
