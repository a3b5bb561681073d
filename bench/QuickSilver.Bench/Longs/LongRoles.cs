using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Longs;

/// <summary>Sender and receivers of one long message. The receivers check every byte.</summary>
internal static class LongRoles
{
    private const int PieceBytes = 64 << 10;

    /// <summary>Joins, waits for everybody and the word to go, writes the message, reports when every member holds
    /// it.</summary>
    public static async Task SendAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        Group group = await node.JoinAsync("g0", new GroupOptions { SelfDelivery = false });
        await group.WaitForMembersAsync(1 + order.Receivers);
        channel.TellReady();
        await channel.Go;

        var peak = new MemoryPeak();
        var meter = new LoadMeter();
        meter.Begin();
        long since = Stopwatch.GetTimestamp();
        var pattern = new LongPattern();
        PipeWriter writer = group.OpenWriter();
        for (long left = order.LongBytes; left > 0;)
        {
            ReadOnlySpan<byte> next = pattern.Next(Math.Min(left, PieceBytes));
            writer.Write(next);
            left -= next.Length;
            await writer.FlushAsync();
        }
        await writer.CompleteAsync();
        await node.FlushAsync();
        meter.End();
        LongReport report = peak.Report(order.LongBytes, Stopwatch.GetElapsedTime(since).TotalSeconds, fault: null);
        channel.TellResult(await ResultAsync(order, node, meter, report) with { Sent = 1, Measured = 1 });
        await RoleChannel.StayAsync();
    }

    /// <summary>Joins, reads the message, and reports when it is complete or has failed.</summary>
    public static async Task ReceiveAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        var options = new GroupOptions { Mode = new ReliableMode { KeepLongMessages = true } };
        Group group = await node.JoinAsync("g0", options);
        await group.WaitForMembersAsync(1 + order.Receivers);
        channel.TellReady();

        var peak = new MemoryPeak();
        var meter = new LoadMeter();
        LongReport report = peak.Report(0, 0, "none came");
        await foreach (LongMessage message in group.ReadLongMessagesAsync())
        {
            meter.Begin();
            long since = Stopwatch.GetTimestamp();
            (long bytes, string? fault) = await ReadAsync(message.Body);
            if (fault is null && bytes != order.LongBytes) fault = $"{bytes} bytes of {order.LongBytes}";
            report = peak.Report(bytes, Stopwatch.GetElapsedTime(since).TotalSeconds, fault);
            break;
        }
        meter.End();
        await channel.Total;
        channel.TellResult(await ResultAsync(order, node, meter, report) with
        {
            Delivered = report.Fault is null ? 1 : 0,
            Measured = report.Fault is null ? 1 : 0,
            MeasuredSeconds = report.Seconds,
        });
        await RoleChannel.StayAsync();
    }

    private static async Task<(long Bytes, string? Fault)> ReadAsync(PipeReader body)
    {
        var pattern = new LongPattern();
        long bytes = 0;
        try
        {
            while (true)
            {
                ReadResult read = await body.ReadAsync();
                foreach (ReadOnlyMemory<byte> segment in read.Buffer)
                {
                    if (!pattern.Matches(segment.Span)) return (bytes, $"a wrong byte after {bytes}");
                    bytes += segment.Length;
                }
                body.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted) return (bytes, null);
            }
        }
        catch (QuickSilverException failure)
        {
            return (bytes, failure.Message);
        }
        finally
        {
            await body.CompleteAsync();
        }
    }

    private static async Task<ProcessReport> ResultAsync(
        RoleOrder order, QuickSilverNode node, LoadMeter meter, LongReport report) => new ProcessReport
        {
            Process = order.Name,
            Role = order.Role.ToString(),
            CpuSeconds = meter.CpuSeconds,
            AllocatedBytes = meter.AllocatedBytes,
            PeakMemoryBytes = report.PeakBytes,
            ResidentBytes = report.AfterBytes,
            Long = report,
        }.With(await SettledStatistics.ReadAsync(node));
}
