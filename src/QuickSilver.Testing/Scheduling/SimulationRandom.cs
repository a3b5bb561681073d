using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Scheduling;

/// <summary>
/// Counter-based randomness: a decision is a hash of (seed, stream, entities, ordinal), not the next number of a
/// sequence. So taking one fault or one message out of a run leaves every other decision as it was, and a failing run
/// can be cut down. A value type without state; allocates nothing.
/// </summary>
/// <param name="seed">The run's seed.</param>
internal readonly struct SimulationRandom(ulong seed)
{
    private const ulong Odd1 = 0x9E3779B97F4A7C15UL;
    private const ulong Odd2 = 0xC2B2AE3D27D4EB4FUL;
    private const ulong Odd3 = 0x165667B19E3779F9UL;

    private readonly ulong _seed = SeededRandom.Mix(seed ^ Odd1);

    /// <summary>64 bits for one decision.</summary>
    /// <param name="stream">What kind of decision it is.</param>
    /// <param name="first">First entity concerned, such as a node's index.</param>
    /// <param name="second">Second entity concerned.</param>
    /// <param name="ordinal">Which of these entities' decisions it is.</param>
    public ulong Draw(RandomStream stream, ulong first, ulong second, ulong ordinal)
    {
        ulong mix = SeededRandom.Mix(_seed + ((ulong)stream * Odd3));
        mix = SeededRandom.Mix(mix + (first * Odd1) + (second * Odd2));
        return SeededRandom.Mix(mix + (ordinal * Odd3));
    }

    /// <summary>A number in [0, 1).</summary>
    public double DrawUnit(RandomStream stream, ulong first, ulong second, ulong ordinal) =>
        ToUnit(Draw(stream, first, second, ordinal));

    /// <summary>A number in [<paramref name="from"/>, <paramref name="to"/>).</summary>
    public int DrawBetween(int from, int to, RandomStream stream, ulong first, ulong second = 0, ulong ordinal = 0) =>
        from + (int)(Draw(stream, first, second, ordinal) % (ulong)Math.Max(1, to - from));

    /// <summary>64 bits as a number in [0, 1).</summary>
    public static double ToUnit(ulong bits) => (bits >> 11) * (1.0 / (1UL << 53));
}
