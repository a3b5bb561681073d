namespace QuickSilver.Testing.Invariants;

/// <summary>Length and sum of bytes that come piece by piece; the sum depends on their order.</summary>
internal sealed class ContentSum
{
    private ulong _sum = 14695981039346656037;

    /// <summary>How many bytes.</summary>
    public long Length { get; private set; }

    /// <summary>Adds the next bytes.</summary>
    public void Add(ReadOnlySpan<byte> bytes)
    {
        foreach (byte next in bytes) _sum = (_sum ^ next) * 1099511628211;
        Length += bytes.Length;
    }

    /// <summary>True when both are of the same bytes.</summary>
    public bool Equals(ContentSum other) => Length == other.Length && _sum == other._sum;

    /// <inheritdoc/>
    public override string ToString() => $"{Length} bytes, {_sum:x16}";
}
