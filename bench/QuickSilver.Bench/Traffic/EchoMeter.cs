using System.Diagnostics;

namespace QuickSilver.Bench.Traffic;

/// <summary>
/// Latency where sender and receivers have clocks of their own. Receivers send some messages back, over the same
/// network and in the same way; a message took half of the round trip, and what its sender was late with it. The way
/// back may be slower or faster than the way out: that is in the figure. The sender's thread calls
/// <see cref="OnSent"/>, its node's core thread <see cref="OnEcho"/>.
/// </summary>
/// <param name="receivers">How many echo.</param>
/// <param name="groups">Of the run.</param>
/// <param name="every">Messages from one echo to the next.</param>
internal sealed class EchoMeter(int receivers, int groups, int every)
{
    /// <summary>The group by which echoes come.</summary>
    public const string Group = "echo";

    private const int Kept = 1 << 14;

    private readonly LatencyHistogram[] _latency = [.. Enumerable.Range(0, receivers)
        .Select(_ => new LatencyHistogram())];

    private readonly long[] _lateness = new long[Kept];
    private RunPhase _phase;

    /// <summary>By receiver: half of the round trips of the measured part.</summary>
    public IReadOnlyList<LatencySummary?> Latency => [.. _latency.Select(latency => latency.Summarize())];

    /// <summary>Whether receivers send a message back.</summary>
    public static bool IsEchoed(in MeasuredHeader header, int groups, int every) =>
        NumberOf(header, groups) % every == 0;

    /// <summary>The head of an echo.</summary>
    /// <param name="header">Of the message.</param>
    /// <param name="receiver">Who sends it back.</param>
    /// <param name="groups">Of the run.</param>
    public static MeasuredHeader Echo(in MeasuredHeader header, int receiver, int groups) =>
        header with { Group = receiver, Index = NumberOf(header, groups) };

    /// <summary>A message with a due instant was made.</summary>
    public void OnSent(in MeasuredHeader header, long now)
    {
        long number = NumberOf(header, groups);
        if (number % every == 0) Volatile.Write(ref _lateness[number / every % Kept], now - header.Ticks);
    }

    /// <summary>An echo has come.</summary>
    public void OnEcho(in MeasuredHeader echo)
    {
        if ((uint)echo.Group >= (uint)_latency.Length) return;
        if (echo.Phase > _phase)
        {
            // As in a sink: what the warm-up recorded was for the compiler's sake.
            if (_phase == RunPhase.WarmUp) Array.ForEach(_latency, one => one.Clear());
            _phase = echo.Phase;
        }
        if (echo.Phase != RunPhase.Measured && _phase != RunPhase.WarmUp) return;
        long late = Volatile.Read(ref _lateness[echo.Index / every % Kept]);
        _latency[echo.Group].Record(late + ((Stopwatch.GetTimestamp() - echo.Ticks - late) / 2));
    }

    private static long NumberOf(in MeasuredHeader header, int groups) =>
        ((header.Index - 1) * groups) + header.Group;
}
