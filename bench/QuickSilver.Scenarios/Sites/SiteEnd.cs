using System.Buffers.Binary;
using System.Diagnostics;
using QuickSilver.Bench;
using QuickSilver.WideArea;

namespace QuickSilver.Scenarios.Sites;

/// <summary>
/// A member of one site that sends and receives in one of the modes. It checks that each message of the sender comes
/// once and in order, and counts how old it is. One thread at a time delivers.
/// </summary>
internal sealed class SiteEnd : IAsyncDisposable
{
    /// <summary>Bytes of a message that are read: the number, and when it was given to be sent.</summary>
    public const int HeadBytes = 16;

    private readonly LatencyHistogram _ages = new();
    private Group? _group;
    private SitePressure? _pressure;
    private SiteOrder? _order;
    private Task _reading = Task.CompletedTask;
    private long _next;
    private long _received;
    private long _outOfOrder;

    /// <summary>Messages that have come.</summary>
    public long Received => Interlocked.Read(ref _received);

    /// <summary>Messages whose predecessor was another than the sender's.</summary>
    public long OutOfOrder => Interlocked.Read(ref _outOfOrder);

    /// <summary>How old they were. To be read when no more come.</summary>
    public LatencySummary? Ages => _ages.Summarize();

    /// <summary>Joins.</summary>
    public static async Task<SiteEnd> JoinAsync(
        QuickSilverNode node, SiteMode mode, string group, CancellationToken ct)
    {
        var end = new SiteEnd();
        if (mode == SiteMode.Reliable)
        {
            end._group = await node.JoinAsync(
                group,
                new GroupOptions { BufferBeforeFirstRead = false, OnMessage = end.OnMessage },
                ct);
            end._pressure = await SitePressure.OpenAsync(node, ct);
            return end;
        }
        var options = new SiteOrderOptions
        {
            Level = mode == SiteMode.Safe ? OrderedLevel.Safe : OrderedLevel.Agreed,
        };
        end._order = await SiteOrder.JoinAsync(node, options, ct);
        end._reading = end.ReadAsync(end._order);
        return end;
    }

    /// <summary>Sends one message, when no site holds the group up.</summary>
    public async ValueTask SendAsync(string group, ReadOnlyMemory<byte> message, CancellationToken ct)
    {
        if (_order is { } order)
        {
            await order.SendAsync(group, message, ct);
            return;
        }
        await _pressure!.WaitAsync(group, ct);
        await _group!.SendAsync(message, ct);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_group is not null) await _group.DisposeAsync();
        if (_pressure is not null) await _pressure.DisposeAsync();
        if (_order is not null) await _order.DisposeAsync();
        await _reading;
    }

    private async Task ReadAsync(SiteOrder order)
    {
        await foreach (SiteOrderedMessage message in order.ReadAllAsync()) OnPayload(message.Payload.Span);
    }

    private void OnMessage(in MessageRef message) => OnPayload(message.Payload);

    private void OnPayload(ReadOnlySpan<byte> payload)
    {
        long number = BinaryPrimitives.ReadInt64LittleEndian(payload);
        if (number != _next) Interlocked.Increment(ref _outOfOrder);
        _next = number + 1;
        _ages.Record(Stopwatch.GetTimestamp() - BinaryPrimitives.ReadInt64LittleEndian(payload[sizeof(long)..]));
        Interlocked.Increment(ref _received);
    }
}
