using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using QuickSilver.WideArea;

namespace QuickSilver.Scenarios.Wide;

/// <summary>
/// A member that sends numbered messages at a fixed rate, to a reliable group and into the order of all sites, and
/// checks those of the other sites: what does not come, what comes twice, and how long nothing comes.
/// </summary>
internal sealed class SiteTally : IAsyncDisposable
{
    /// <summary>Name of the reliable group.</summary>
    public const string GroupName = "news";

    private const int MessageBytes = 100;

    private readonly int _site;
    private readonly Lock _lock = new();
    private readonly Sender[] _senders;
    private readonly List<(ulong Place, long Message)> _ordered = [];
    private readonly CancellationTokenSource _stop = new();
    private Group _news = null!;
    private SiteOrder _order = null!;
    private Task _reading = Task.CompletedTask;
    private Task _sending = Task.CompletedTask;
    private long _sent;
    private long _sentInOrder;
    private int _timesBehind;

    private SiteTally(SitePlan plan)
    {
        _site = plan.Site;
        _senders = [.. plan.Names.Select(static _ => new Sender())];
    }

    /// <summary>Joins.</summary>
    public static async Task<SiteTally> JoinAsync(QuickSilverNode node, SitePlan plan)
    {
        var tally = new SiteTally(plan);
        tally._news = await node.JoinAsync(
            GroupName,
            new GroupOptions { SelfDelivery = false, OnMessage = tally.OnMessage, BufferBeforeFirstRead = false });
        tally._order = await SiteOrder.JoinAsync(node);
        tally._reading = tally.ReadAsync();
        return tally;
    }

    /// <summary>Sends so many a second to the group, and as many into the order.</summary>
    public string Send(int rate)
    {
        _sending = Task.WhenAll(
            PaceAsync(rate, message => _news.SendAsync(message, _stop.Token), number => _sent = number),
            PaceAsync(
                rate, message => _order.SendAsync("orders", message, _stop.Token), number => _sentInOrder = number));
        return "sending";
    }

    /// <summary>Sends no more.</summary>
    /// <returns>What was sent to the group, and into the order.</returns>
    public async Task<string> EndAsync()
    {
        await _stop.CancelAsync();
        await _sending;
        return Text($"rested {_sent} {_sentInOrder}");
    }

    /// <summary>What has come of each sender, since the last call for gaps alone.</summary>
    /// <returns>For each site: the next number, copies, missing ones, the longest gap in milliseconds.</returns>
    public string Tally()
    {
        lock (_lock)
        {
            string text = string.Join(' ', _senders.Select(static one =>
                Text($"{one.Next} {one.Copies} {one.Missing} {one.Gap.TotalMilliseconds:F0}")));
            foreach (Sender sender in _senders) (sender.CameAt, sender.Gap) = (0, default);
            return $"tallied {text}";
        }
    }

    /// <summary>How much was delivered in order, and how often others had more than this site gets.</summary>
    public string CountOrdered()
    {
        lock (_lock) return Text($"ordered {_ordered.Count} {_timesBehind}");
    }

    /// <summary>How the order stands, for a person.</summary>
    public string StateText() => $"{_order.GetStatistics()}";

    /// <summary>Writes the order that was delivered: a line for each message, with its place.</summary>
    public async Task<string> WriteAsync(string file)
    {
        string[] lines;
        lock (_lock) lines = [.. _ordered.Select(static one => Text($"{one.Place} {one.Message}"))];
        await File.WriteAllLinesAsync(file, lines);
        return "written";
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await EndAsync();
        await _order.DisposeAsync();
        await _reading;
        await _news.DisposeAsync();
        _stop.Dispose();
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private async Task PaceAsync(int rate, Func<ReadOnlyMemory<byte>, ValueTask> send, Action<long> sent)
    {
        var message = new byte[MessageBytes];
        BinaryPrimitives.WriteInt32LittleEndian(message, _site);
        long start = Stopwatch.GetTimestamp();
        await Task.Yield();
        try
        {
            for (long turn = 1; ; turn++)
            {
                BinaryPrimitives.WriteInt64LittleEndian(message.AsSpan(sizeof(long)), turn);
                await send(message);
                sent(turn);
                TimeSpan early = TimeSpan.FromSeconds((double)turn / rate) - Stopwatch.GetElapsedTime(start);
                if (early > TimeSpan.FromMilliseconds(1)) await Task.Delay(early, _stop.Token);
            }
        }
        catch (OperationCanceledException)
        {
            // It was told to end; the message that waited is not sent.
        }
    }

    private void OnMessage(in MessageRef message)
    {
        int site = BinaryPrimitives.ReadInt32LittleEndian(message.Payload);
        long number = BinaryPrimitives.ReadInt64LittleEndian(message.Payload[sizeof(long)..]);
        lock (_lock) _senders[site].OnMessage(number);
    }

    private async Task ReadAsync()
    {
        await foreach (SiteOrderEvent told in _order.ReadEventsAsync())
        {
            lock (_lock)
            {
                if (told is SitesChanged { IsBehind: true }) _timesBehind++;
                if (told is not SiteOrderedMessage message) continue;
                long number = BinaryPrimitives.ReadInt64LittleEndian(message.Payload.Span[sizeof(long)..]);
                int site = BinaryPrimitives.ReadInt32LittleEndian(message.Payload.Span);
                _ordered.Add((message.Place, (number * _senders.Length) + site));
            }
        }
    }

    // What has come of one.
    private sealed class Sender
    {
        public long Next { get; private set; } = 1;

        public long Copies { get; private set; }

        public long Missing { get; private set; }

        public long CameAt { get; set; }

        public TimeSpan Gap { get; set; }

        public void OnMessage(long number)
        {
            if (number < Next)
            {
                Copies++;
                return;
            }
            if (CameAt != 0 && Stopwatch.GetElapsedTime(CameAt) is var gap && gap > Gap) Gap = gap;
            CameAt = Stopwatch.GetTimestamp();
            Missing += number - Next;
            Next = number + 1;
        }
    }
}
