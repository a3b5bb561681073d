using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Runs;

/// <summary>
/// How far apart the machine's processors are while a run is measured: what a cache line takes from one to the other.
/// <para>
/// Why: everything that one process sends another on the same machine crosses from core to core. The host of a virtual
/// machine moves its processors between its own cores every few seconds, and lines that two cores hand to and fro
/// within one third-level cache take six times as long between two:
/// a sender's copying into the kernel costs four times as much then. Rates of two systems compare only where this was
/// the same for both.
/// </para>
/// <para>
/// How: two threads, bound to the first and the last processor that the process may use, count up one number in turns.
/// Of twenty batches of fifty turns the fastest counts, since these threads are interrupted like all others; a sample
/// for which both cannot be had at once is left out. On a machine of more than two processors it is the distance of
/// these two alone, and says little.
/// </para>
/// Cost: some milliseconds of both processors a second at the most, 0.1 % where the runs leave them room. Linux only.
/// </summary>
internal sealed partial class ProcessorDistance
{
    private const int Batches = 20;
    private const int TurnsABatch = 50;
    private const int SpinsBetweenClockReads = 4096;
    private const int MaskWords = 16;

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(4);

    private readonly int _first;
    private readonly int _last;
    private readonly AutoResetEvent _go = new(false);
    private Line? _line;

    private ProcessorDistance(int first, int last)
    {
        _first = first;
        _last = last;
    }

    /// <summary>Samples while a run is measured, if it is one at full speed: in others, a sample would delay
    /// messages.</summary>
    /// <param name="orders">What its processes were told, just now.</param>
    /// <param name="run">Ends it, if it ends before.</param>
    /// <returns>What was seen; null without two processors, elsewhere than on Linux, over agents, whose processors are
    /// others, or when nothing could be sampled.</returns>
    public static async Task<DistanceReport?> WatchAsync(IReadOnlyList<RoleOrder> orders, Task run)
    {
        bool isAtFullSpeed = orders.All(
            order => order.Rate <= 0 && order.EchoEvery == 0
                && order.Role is not (RoleKind.IdleMember or RoleKind.HerdMember));
        if (!isAtFullSpeed || !OperatingSystem.IsLinux() || !TryFindProcessors(out int first, out int last))
            return null;
        var measured = TimeSpan.FromSeconds(orders.Max(order => order.MeasuredSeconds));
        await Task.WhenAny(run, Task.Delay(TimeSpan.FromSeconds(orders.Max(order => order.WarmUpSeconds))));
        var distance = new ProcessorDistance(first, last);
        return await Task.Factory.StartNew(
            () => distance.Watch(measured, run), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    private static unsafe bool TryFindProcessors(out int first, out int last)
    {
        ulong* mask = stackalloc ulong[MaskWords];
        new Span<ulong>(mask, MaskWords).Clear();
        first = last = -1;
        if (GetAffinity(0, MaskWords * sizeof(ulong), mask) != 0) return false;
        for (int processor = 0; processor < MaskWords * 64; processor++)
        {
            if ((mask[processor / 64] >> (processor % 64) & 1) == 0) continue;
            if (first < 0) first = processor;
            last = processor;
        }
        return last > first;
    }

    private static unsafe void BindTo(int processor)
    {
        ulong* mask = stackalloc ulong[MaskWords];
        new Span<ulong>(mask, MaskWords).Clear();
        mask[processor / 64] = 1UL << (processor % 64);
        _ = SetAffinity(0, MaskWords * sizeof(ulong), mask);
    }

    // Compiled at once and fully: what the runtime compiles in haste would add its own nanoseconds.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static bool Await(Line line, long value, long deadline)
    {
        for (int spins = 1; Volatile.Read(ref line.Value) != value; spins++)
        {
            if (spins % SpinsBetweenClockReads == 0 && Stopwatch.GetTimestamp() > deadline) return false;
        }
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Answer(Line line)
    {
        long deadline = Stopwatch.GetTimestamp() + (long)(Patience.TotalSeconds * Stopwatch.Frequency);
        for (long turn = 0; turn < Batches * TurnsABatch; turn++)
        {
            if (!Await(line, (2 * turn) + 1, deadline)) return;
            Volatile.Write(ref line.Value, (2 * turn) + 2);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static double? Ask(Line line)
    {
        long deadline = Stopwatch.GetTimestamp() + (long)(Patience.TotalSeconds * Stopwatch.Frequency);
        long best = long.MaxValue;
        long turn = 0;
        for (int batch = 0; batch < Batches; batch++)
        {
            long start = Stopwatch.GetTimestamp();
            for (int index = 0; index < TurnsABatch; index++, turn++)
            {
                Volatile.Write(ref line.Value, (2 * turn) + 1);
                if (!Await(line, (2 * turn) + 2, deadline)) return null;
            }
            best = Math.Min(best, Stopwatch.GetTimestamp() - start);
        }
        return best * 1e9 / Stopwatch.Frequency / (2 * TurnsABatch);
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity")]
    private static unsafe partial int GetAffinity(int thread, nuint bytes, ulong* mask);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static unsafe partial int SetAffinity(int thread, nuint bytes, ulong* mask);

    private DistanceReport? Watch(TimeSpan measured, Task run)
    {
        BindTo(_first);
        var partner = new Thread(Partner) { IsBackground = true, Name = "distance" };
        partner.Start();
        List<double> samples = [];
        long end = Stopwatch.GetTimestamp() + (long)(measured.TotalSeconds * Stopwatch.Frequency);
        do
        {
            var line = new Line();
            Volatile.Write(ref _line, line);
            _go.Set();
            if (Ask(line) is { } nanos) samples.Add(nanos);
            Thread.Sleep(Interval);
        }
        while (!run.IsCompleted && Stopwatch.GetTimestamp() < end);
        Volatile.Write(ref _line, null);
        _go.Set();
        partner.Join();
        _go.Dispose();
        return DistanceReport.Of(samples);
    }

    private void Partner()
    {
        BindTo(_last);
        while (true)
        {
            _go.WaitOne();
            if (Volatile.Read(ref _line) is not { } line) return;
            Answer(line);
        }
    }

    // Alone on its cache lines, whatever lies beside it on the heap.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private sealed class Line
    {
        [FieldOffset(128)]
        public long Value;
    }
}
