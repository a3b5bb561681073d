using System.Buffers.Binary;
using System.Diagnostics;

namespace QuickSilver.Tests.Programs;

/// <summary>A group of the program's node: joins, counts what comes, and how old it is.</summary>
internal sealed class MemberGroup(string name, MemberLines lines)
{
    /// <summary>Bytes before the filling: when the message was sent, by the machine's monotonic clock, which all its
    /// namespaces share; 0: not said.
    /// </summary>
    public const int HeadBytes = sizeof(long);

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);

    private readonly Lock _lock = new();
    private readonly List<long> _ages = [];
    private readonly List<long> _earlier = [];
    private Group? _handle;
    private long _count;

    /// <summary>Its name.</summary>
    public string Name => name;

    /// <summary>The present handle.</summary>
    public Group Handle => _handle ?? throw new InvalidOperationException($"'{name}' has not been joined");

    /// <summary>Joins once.</summary>
    public async Task JoinAsync(QuickSilverNode node, CancellationToken stop)
    {
        _handle = await node.JoinAsync(name, new GroupOptions { OnMessage = OnMessage }, stop);
        lines.Say($"joined {name} {_handle.View.MemberCount}");
    }

    /// <summary>Joins, and again whenever that has ended, until the node is disposed of.</summary>
    public async Task StayAsync(QuickSilverNode node, CancellationToken stop)
    {
        while (!node.Completion.IsCompleted && !stop.IsCancellationRequested)
        {
            try
            {
                await JoinAsync(node, stop);
                await _handle!.Completion.WaitAsync(stop);
                return;
            }
            catch (QuickSilverException failure)
            {
                lines.Say($"lost {name} {failure.Code} {failure.Message}");
                await Task.Delay(Pause, stop);
            }
        }
    }

    /// <summary>Leaves.</summary>
    public async Task LeaveAsync() => await Handle.LeaveAsync();

    /// <summary>How many have come, and the ages of those that came since the last call, as "COUNT P50 P99 MAX" in
    /// microseconds.</summary>
    public string TakeFigures()
    {
        lock (_lock)
        {
            _ages.Sort();
            string figures = $"{_count} {AgeAt(0.5)} {AgeAt(0.99)} {AgeAt(1)}";
            _earlier.AddRange(_ages);
            _ages.Clear();
            return figures;
        }
    }

    /// <summary>The ages of all that came, as "P50 P99 P999 MAX" in microseconds.</summary>
    public string DescribeAll()
    {
        lock (_lock)
        {
            List<long> all = [.. _earlier, .. _ages];
            all.Sort();
            return $"{AgeAt(all, 0.5)} {AgeAt(all, 0.99)} {AgeAt(all, 0.999)} {AgeAt(all, 1)}";
        }
    }

    private void OnMessage(in MessageRef message)
    {
        long sent = message.Payload.Length >= HeadBytes ? BinaryPrimitives.ReadInt64LittleEndian(message.Payload) : 0;
        long age = sent == 0 ? 0 : (long)Stopwatch.GetElapsedTime(sent).TotalMicroseconds;
        lock (_lock)
        {
            _count++;
            _ages.Add(age);
        }
    }

    private long AgeAt(double share) => AgeAt(_ages, share);

    private static long AgeAt(List<long> sorted, double share) =>
        sorted.Count == 0 ? 0 : sorted[Math.Min(sorted.Count - 1, (int)(share * sorted.Count))];
}
