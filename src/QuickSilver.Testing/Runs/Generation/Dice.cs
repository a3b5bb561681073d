using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Draws one after the other for one part of a run. Each part has dice of its own, so that a part which draws
/// more leaves the others as they are.</summary>
/// <param name="random">The run's decisions.</param>
/// <param name="stream">What is drawn.</param>
/// <param name="part">Which part of it, such as a fault's place in the list.</param>
internal sealed class Dice(SimulationRandom random, RandomStream stream, ulong part = 0)
{
    private ulong _draws;

    /// <summary>A number in [0, 1).</summary>
    public double Unit() => random.DrawUnit(stream, ulong.MaxValue, part, _draws++);

    /// <summary>True with a probability.</summary>
    public bool Chance(double probability) => Unit() < probability;

    /// <summary>A number in [<paramref name="from"/>, <paramref name="to"/>).</summary>
    public int Between(int from, int to) => from + (int)(Unit() * Math.Max(1, to - from));

    /// <summary>A time between two, evenly.</summary>
    public TimeSpan Time(TimeSpan from, TimeSpan to) => from + ((to - from) * Unit());

    /// <summary>A time of so many milliseconds, evenly.</summary>
    public TimeSpan Millis(double from, double to) =>
        Time(TimeSpan.FromMilliseconds(from), TimeSpan.FromMilliseconds(to));

    /// <summary>A time of so many milliseconds, of which short ones are as common as long ones: even in the
    /// logarithm.</summary>
    public TimeSpan LogMillis(double from, double to) => TimeSpan.FromMilliseconds(from * Math.Pow(to / from, Unit()));

    /// <summary>A number of which small ones are as common as large ones: even in the logarithm.</summary>
    public long Log(long from, long to) => (long)(from * Math.Pow((double)to / from, Unit()));

    /// <summary>One of several.</summary>
    public T Pick<T>(IReadOnlyList<T> from) => from[Between(0, from.Count)];

    /// <summary>Some of several, each with a probability, but at least one.</summary>
    public T[] Some<T>(IReadOnlyList<T> from, double probability)
    {
        T[] some = [.. from.Where(_ => Chance(probability))];
        return some.Length > 0 || from.Count == 0 ? some : [Pick(from)];
    }
}
