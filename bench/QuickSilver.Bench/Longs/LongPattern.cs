namespace QuickSilver.Bench.Longs;

/// <summary>The content of a measured long message: every byte follows from its place, so a receiver can check each
/// read by itself. Not thread-safe.</summary>
internal sealed class LongPattern
{
    // A prime: no piece or buffer has a length that divides it.
    private const int Length = 1_000_003;

    private readonly byte[] _bytes = new byte[Length];
    private int _at;

    /// <summary>Begins at the first byte.</summary>
    public LongPattern() => new Random(33).NextBytes(_bytes);

    /// <summary>The next bytes, at most so many.</summary>
    public ReadOnlySpan<byte> Next(long most)
    {
        if (_at == Length) _at = 0;
        ReadOnlySpan<byte> next = _bytes.AsSpan(_at, (int)Math.Min(most, Length - _at));
        _at += next.Length;
        return next;
    }

    /// <summary>Whether these are the next bytes.</summary>
    public bool Matches(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            ReadOnlySpan<byte> expected = Next(bytes.Length);
            if (!bytes[..expected.Length].SequenceEqual(expected)) return false;
            bytes = bytes[expected.Length..];
        }
        return true;
    }
}
