using System.Diagnostics;
using System.Text;
using QuickSilver.Bench;

namespace QuickSilver.TestPrograms;

/// <summary>
/// Checks every message a program receives: content, publisher, group, and that each sender's messages in a group come
/// one after the other, none missing, none twice. The first message of a sender in a group may have any number, since a
/// late joiner starts anywhere. Any thread.
/// </summary>
internal sealed class MessageChecker(long expected)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<(MemberId Sender, string Group), StreamState> _streams = [];
    private readonly TaskCompletionSource _complete = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long[] _faults = new long[(int)CheckFault.OutOfOrder + 1];
    private long _received;
    private long _bytes;
    private long _missing;
    private long _firstTicks;
    private long _lastTicks;

    /// <summary>Ends when as many messages have come as were expected; never if no number was given.</summary>
    public Task Complete => _complete.Task;

    /// <summary>Ends with the first fault.</summary>
    public Task Failed => _failed.Task;

    /// <summary>Messages so far.</summary>
    public long Received => Interlocked.Read(ref _received);

    /// <summary>How long generated messages were under way, on one machine.</summary>
    public LatencyHistogram Latency { get; } = new();

    /// <summary>The first fault in words; null while there is none.</summary>
    public string? FirstFault { get; private set; }

    /// <summary>Checks one message.</summary>
    /// <returns>The fault found; counted already.</returns>
    public CheckFault Check(
        MemberId sender, string senderName, string group, ulong sequence, ReadOnlySpan<byte> payload)
    {
        long now = Stopwatch.GetTimestamp();
        lock (_lock)
        {
            if (_firstTicks == 0) _firstTicks = now;
            _lastTicks = now;
            CheckFault fault = CheckOne(sender, senderName, group, sequence, payload, now);
            _faults[(int)fault]++;
            _bytes += payload.Length;
            if (fault != CheckFault.None && FirstFault is null)
            {
                FirstFault = $"{fault}: message {sequence} of {senderName} in {group}, {payload.Length} bytes";
                _failed.TrySetResult();
            }
            if (Interlocked.Increment(ref _received) == expected) _complete.TrySetResult();
            return fault;
        }
    }

    /// <summary>What was found so far. Allocates.</summary>
    public CheckReport Report()
    {
        lock (_lock)
        {
            TimeSpan active = _lastTicks == _firstTicks
                ? TimeSpan.Zero : Stopwatch.GetElapsedTime(_firstTicks, _lastTicks);
            return new CheckReport
            {
                Expected = expected,
                Received = _received,
                Bytes = _bytes,
                Missing = _missing,
                Damaged = _faults[(int)CheckFault.Damaged],
                WrongPublisher = _faults[(int)CheckFault.WrongPublisher],
                WrongGroup = _faults[(int)CheckFault.WrongGroup],
                Gaps = _faults[(int)CheckFault.Gap],
                OutOfOrder = _faults[(int)CheckFault.OutOfOrder],
                FirstFault = FirstFault,
                Seconds = active.TotalSeconds,
                Rate = active > TimeSpan.Zero ? (_received - 1) / active.TotalSeconds : 0,
                Latency = Latency.Summarize(),
                Streams = [.. _streams.Values
                    .OrderBy(stream => stream.Sender, StringComparer.Ordinal)
                    .ThenBy(stream => stream.Group, StringComparer.Ordinal)
                    .Select(
                        stream => new StreamReport(
                            stream.Sender, stream.Group, stream.First, stream.Last, stream.Count, stream.Bytes))],
            };
        }
    }

    private CheckFault CheckOne(
        MemberId sender, string senderName, string group, ulong sequence, ReadOnlySpan<byte> payload, long now)
    {
        bool isFirst = !_streams.TryGetValue((sender, group), out StreamState? stream);
        if (stream is null)
        {
            stream = new StreamState(
                senderName, group)
            {
                First = sequence,
                Last = sequence - 1,
                IsGenerated = GeneratedPayload.HasMagic(payload)
            };
            _streams.Add((sender, group), stream);
        }
        stream.Count++;
        stream.Bytes += payload.Length;

        CheckFault content = stream.IsGenerated
            ? CheckContent(stream, isFirst, sequence, payload, now) : CheckFault.None;
        ulong last = stream.Last;
        if (sequence > last) stream.Last = sequence;
        if (content != CheckFault.None) return content;
        if (sequence == last + 1) return CheckFault.None;
        if (sequence <= last) return CheckFault.OutOfOrder;
        _missing += (long)(sequence - last - 1);
        return CheckFault.Gap;
    }

    private CheckFault CheckContent(
        StreamState stream, bool isFirst, ulong sequence, ReadOnlySpan<byte> payload, long now)
    {
        if (!GeneratedPayload.TryRead(payload, out GeneratedPayload read)) return CheckFault.Damaged;
        if (!IsText(read.Publisher, stream.Sender)) return CheckFault.WrongPublisher;
        if (!IsText(read.Group, stream.Group)) return CheckFault.WrongGroup;
        if (isFirst) stream.IndexOffset = sequence - read.Index;
        if (read.Index + stream.IndexOffset != sequence) return CheckFault.OutOfOrder;
        Latency.Record(now - read.SentTicks);
        return CheckFault.None;
    }

    private static bool IsText(ReadOnlySpan<byte> utf8, string text)
    {
        Span<char> decoded = stackalloc char[255];
        return Encoding.UTF8.TryGetChars(utf8, decoded, out int length) && decoded[..length].SequenceEqual(text);
    }
}
