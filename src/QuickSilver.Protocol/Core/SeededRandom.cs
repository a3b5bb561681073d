namespace QuickSilver.Protocol.Core;

/// <summary>
/// A small seeded generator (SplitMix64): the protocol's only randomness, for jitter and ids. The same seed gives the
/// same numbers on every machine. Core thread only; allocates nothing per number. Not for secrets.
/// </summary>
/// <param name="seed">Any value; the host draws it, the simulator chooses it.</param>
internal sealed class SeededRandom(ulong seed)
{
    private ulong _state = seed;

    /// <summary>The next 64 bits.</summary>
    public ulong NextUInt64()
    {
        _state += 0x9E3779B97F4A7C15UL;
        return Mix(_state);
    }

    /// <summary>A number in [0, <paramref name="bound"/>); 0 when the bound is 0.</summary>
    public ulong NextBelow(ulong bound) => bound == 0 ? 0 : (ulong)(((UInt128)NextUInt64() * bound) >> 64);

    /// <summary>A number in [0, 1).</summary>
    public double NextDouble() => (NextUInt64() >> 11) * (1.0 / (1UL << 53));

    /// <summary>A duration in [0, <paramref name="bound"/>).</summary>
    public TimeSpan NextBelow(TimeSpan bound) => new((long)NextBelow((ulong)Math.Max(0, bound.Ticks)));

    /// <summary>
    /// The finaliser of SplitMix64: a bijection that spreads nearby values, for hashes that must be equal everywhere.
    /// </summary>
    public static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9UL;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBUL;
        return value ^ (value >> 31);
    }
}
