using System.Buffers.Binary;
using System.Diagnostics;
using QuickSilver.Bench;
using QuickSilver.Bench.Shaping;

namespace QuickSilver.Scenarios.Sites;

/// <summary>One run: the member of the first site sends, members of the first and the last receive.</summary>
internal sealed record SiteRun
{
    private const string GroupName = "measured";
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>How messages go.</summary>
    public required SiteMode Mode { get; init; }

    /// <summary>Sites in the row.</summary>
    public required int Sites { get; init; }

    /// <summary>Messages a second; 0: full speed.</summary>
    public required int Rate { get; init; }

    /// <summary>Bytes of a message.</summary>
    public required int Size { get; init; }

    /// <summary>Before measuring.</summary>
    public required TimeSpan WarmUp { get; init; }

    /// <summary>Measured.</summary>
    public required TimeSpan Length { get; init; }

    /// <summary>What happens between neighbours.</summary>
    public required WayShape Way { get; init; }

    /// <summary>Runs it.</summary>
    public async Task<SiteFindings> RunAsync(CancellationToken ct)
    {
        await using SiteRow row = await SiteRow.StartAsync(Sites, Way, GroupName, Mode != SiteMode.Reliable, ct);
        await SendAsync(row, WarmUp, ct);
        return await SendAsync(row, Length, ct);
    }

    private async Task<SiteFindings> SendAsync(SiteRow row, TimeSpan length, CancellationToken ct)
    {
        await using SiteEnd near = await SiteEnd.JoinAsync(row.Members[0], Mode, GroupName, ct);
        await using SiteEnd far = await SiteEnd.JoinAsync(row.Members[^1], Mode, GroupName, ct);
        // Until the gateways have told each other that there are members.
        await Task.Delay(TimeSpan.FromSeconds(1), ct);
        byte[] message = new byte[Size];
        long sent = 0, start = Stopwatch.GetTimestamp(), ticks = (long)(length.TotalSeconds * Stopwatch.Frequency);
        for (long now = start; now - start < ticks; now = Stopwatch.GetTimestamp())
        {
            long due = Rate > 0 ? start + (long)((double)sent / Rate * Stopwatch.Frequency) : now;
            if (due > now)
            {
                await Task.Delay(1, ct);
                continue;
            }
            BinaryPrimitives.WriteInt64LittleEndian(message, sent++);
            BinaryPrimitives.WriteInt64LittleEndian(message.AsSpan(sizeof(long)), now);
            await near.SendAsync(GroupName, message, ct);
        }
        long deadline = Environment.TickCount64 + (long)Patience.TotalMilliseconds;
        while ((near.Received < sent || far.Received < sent) && Environment.TickCount64 < deadline)
            await Task.Delay(1, ct);
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        List<string> failures = [];
        foreach ((string name, SiteEnd end) in (ReadOnlySpan<(string, SiteEnd)>)[("first", near), ("last", far)])
        {
            if (end.Received != sent) failures.Add($"{end.Received} of {sent} messages came at the {name} site");
            if (end.OutOfOrder > 0) failures.Add($"{end.OutOfOrder} came out of order at the {name} site");
        }
        return new SiteFindings(sent / seconds, near.Ages, far.Ages, failures);
    }
}
