using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Modes;

/// <summary>
/// What a member of groups of several modes sends, whatever carries it. Every mode is sent to by a thread of its own,
/// so none waits for another. A message's head names its group among those of its mode.
/// </summary>
internal sealed class ModesTraffic
{
    private readonly RoleOrder _order;
    private readonly TrafficSource?[] _sources;
    private readonly LoadMeter _meter = new();

    /// <summary>The run begins now.</summary>
    public ModesTraffic(RoleOrder order)
    {
        _order = order;
        _sources = [.. order.Modes.Select(Source)];
    }

    /// <summary>Processor time of the measured part, in seconds.</summary>
    public double CpuSeconds => _meter.CpuSeconds;

    /// <summary>Bytes allocated in it.</summary>
    public long AllocatedBytes => _meter.AllocatedBytes;

    /// <summary>Messages sent.</summary>
    public long Sent => _sources.Sum(static source => source?.Sent ?? 0);

    /// <summary>Of those, in the measured part.</summary>
    public long Measured => _sources.Sum(static source => source?.Measured ?? 0);

    /// <summary>How late the latest of the senders was.</summary>
    public LatencySummary? Lateness =>
        _sources.Select(static source => source?.Lateness).MaxBy(static lateness => lateness?.P999);

    /// <summary>Sends the member's part; returns when all is sent.</summary>
    /// <param name="send">Sends a message to a group of a mode, both by index; called by a thread a mode.</param>
    public Task SendAsync(Action<int, int, byte[]> send)
    {
        var clock = new RunClock(_order.WarmUpSeconds, _order.MeasuredSeconds);
        IEnumerable<Task> sending = _sources.Select((source, mode) => SendAsync(mode, source, send));
        return Task.WhenAll([_meter.FollowAsync(clock), .. sending]);
    }

    /// <summary>What came in the groups of each mode, beside what was sent.</summary>
    public IReadOnlyList<ModeReport> Report(IReadOnlyList<ModeSink> sinks) =>
        [.. sinks.Select((sink, mode) => sink.Report(_sources[mode]?.Sent ?? 0, _sources[mode]?.Measured ?? 0))];

    private int[] OwnGroups(ModeOrder mode) =>
        [.. Enumerable.Range(0, mode.Groups).Where(group => mode.SenderOf(group, _order.Receivers) == _order.Number)];

    private TrafficSource? Source(ModeOrder mode)
    {
        int own = OwnGroups(mode).Length;
        var clock = new RunClock(_order.WarmUpSeconds, _order.MeasuredSeconds);
        return own == 0 ? null : new TrafficSource(own, clock, own * mode.Rate, new LoadMeter());
    }

    private Task SendAsync(int mode, TrafficSource? source, Action<int, int, byte[]> send)
    {
        if (source is null) return Task.CompletedTask;
        int[] own = OwnGroups(_order.Modes[mode]);
        // A thread of its own, because a paced sender sleeps in it.
        return Task.Factory.StartNew(
            () => Send(mode, source, own, send), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    private void Send(int mode, TrafficSource source, int[] own, Action<int, int, byte[]> send)
    {
        byte[] buffer = new byte[_order.Size];
        while (source.TryNext(out MeasuredHeader header))
        {
            int group = own[header.Group];
            (header with { Group = group }).Write(buffer);
            send(mode, group, buffer);
        }
    }
}
