using QuickSilver.Bench.Reports;

namespace QuickSilver.Bench.Streams;

/// <summary>What a frozen receiver did to the others, and how it came back; read from the receivers' notes of how far
/// they were.</summary>
/// <param name="RateBefore">Messages a second of the slowest other receiver, from the first message to the
/// freeze.</param>
/// <param name="RateDuring">The same during the freeze.</param>
/// <param name="LongestPauseMilliseconds">The longest time in which another receiver got nothing, from the freeze to a
/// second after it.</param>
/// <param name="CatchUpMilliseconds">From the thaw until the frozen one was as far as the others; not a number when it
/// never was.</param>
internal sealed record FreezeFindings(
    double RateBefore, double RateDuring, double LongestPauseMilliseconds, double CatchUpMilliseconds)
{
    private const double After = 1000;

    /// <summary>Reads them.</summary>
    /// <param name="frozen">The receiver that was frozen.</param>
    /// <param name="others">All other receivers.</param>
    /// <param name="frozenAt">When, in milliseconds of the machine's clock.</param>
    /// <param name="thawedAt">When it went on.</param>
    public static FreezeFindings Of(
        ProcessReport frozen, IReadOnlyList<ProcessReport> others, double frozenAt, double thawedAt)
    {
        double before = others.Min(other => Rate(other.Progress!, double.MinValue, frozenAt));
        double during = others.Min(other => Rate(other.Progress!, frozenAt, thawedAt));
        double pause = others.Max(other => LongestPause(other.Progress!, frozenAt, thawedAt + After));
        double caughtUp = double.NaN;
        foreach (ProgressSample sample in frozen.Progress!.Where(sample => sample.Milliseconds >= thawedAt))
        {
            // The others' notes are a few milliseconds older or younger: as far as the last one before this is far
            // enough.
            if (others.Any(other => sample.Delivered < At(other.Progress!, sample.Milliseconds))) continue;
            caughtUp = sample.Milliseconds - thawedAt;
            break;
        }
        return new FreezeFindings(before, during, pause, caughtUp);
    }

    private static double Rate(IReadOnlyList<ProgressSample> progress, double from, double to)
    {
        List<ProgressSample> part = [
            .. progress.Where(sample => sample.Milliseconds >= from && sample.Milliseconds <= to)];
        return part.Count < 2
            ? 0 : (part[^1].Delivered - part[0].Delivered) * 1000 / (part[^1].Milliseconds - part[0].Milliseconds);
    }

    private static double LongestPause(IReadOnlyList<ProgressSample> progress, double from, double to)
    {
        double longest = 0;
        ProgressSample? last = null;
        foreach (ProgressSample sample in progress.Where(
            sample => sample.Milliseconds >= from && sample.Milliseconds <= to))
        {
            last ??= sample;
            if (sample.Delivered > last.Delivered) last = sample;
            else longest = Math.Max(longest, sample.Milliseconds - last.Milliseconds);
        }
        return longest;
    }

    private static long At(IReadOnlyList<ProgressSample> progress, double milliseconds)
    {
        long delivered = 0;
        foreach (ProgressSample sample in progress)
        {
            if (sample.Milliseconds > milliseconds) break;
            delivered = sample.Delivered;
        }
        return delivered;
    }
}
