using System.Diagnostics;
using System.Text;

namespace QuickSilver.TestPrograms;

/// <summary>
/// Sends generated messages round-robin over groups, as fast as they are taken or at a rate. One buffer serves all:
/// SendAsync has copied it when it returns.
/// </summary>
internal sealed class GeneratedSource
{
    private readonly IReadOnlyList<Group> _groups;
    private readonly byte[][] _groupNames;
    private readonly byte[] _publisher;
    private readonly byte[] _buffer;
    private readonly double _rate;
    private long _sent;

    /// <summary>Refuses a size that does not hold the names.</summary>
    /// <exception cref="ArgumentException">Says the smallest size that would.</exception>
    public GeneratedSource(string publisher, IReadOnlyList<Group> groups, TrafficSetup traffic)
    {
        _groups = groups;
        _groupNames = [.. groups.Select(group => Encoding.UTF8.GetBytes(group.Name))];
        _publisher = Encoding.UTF8.GetBytes(publisher);
        _buffer = new byte[traffic.Size];
        _rate = traffic.Rate;
        int minimum = GeneratedPayload.MinimumBytes(_publisher.Length, _groupNames.Max(name => name.Length));
        if (traffic.Size < minimum)
            throw new ArgumentException(
                $"--size {traffic.Size} does not hold the names of publisher and group: at least {minimum}.");
    }

    /// <summary>Messages sent so far. Any thread.</summary>
    public long Sent => Interlocked.Read(ref _sent);

    /// <summary>Sends <paramref name="count"/> messages.</summary>
    public async Task SendAsync(long count, CancellationToken ct)
    {
        long start = Stopwatch.GetTimestamp();
        for (long number = 0; number < count; number++)
        {
            long due = Stopwatch.GetTimestamp();
            if (_rate > 0)
            {
                due = start + (long)(number / _rate * Stopwatch.Frequency);
                await WaitUntilAsync(due, ct);
            }
            int group = (int)(number % _groups.Count);
            ulong index = (ulong)(number / _groups.Count) + 1;
            GeneratedPayload.Write(_buffer, _publisher, _groupNames[group], index, due);
            await _groups[group].SendAsync(_buffer.AsMemory(), ct);
            Interlocked.Exchange(ref _sent, number + 1);
        }
    }

    // A timer is good to a millisecond or two: what is due within that goes at once, in a small burst.
    private static async ValueTask WaitUntilAsync(long due, CancellationToken ct)
    {
        TimeSpan early = Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), due);
        if (early > TimeSpan.FromMilliseconds(1)) await Task.Delay(early, ct);
    }
}
