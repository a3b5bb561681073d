namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Names a ring of the ordered groups: term and counter of the step that made it. A ring of a later step is greater.
/// </summary>
/// <param name="Term">Term of the step's epoch.</param>
/// <param name="Counter">Counter of the step.</param>
internal readonly record struct RingId(ulong Term, ulong Counter) : IComparable<RingId>
{
    /// <summary>The longest form on the wire.</summary>
    public const int MaxLength = 20;

    /// <summary>The ring that a step makes.</summary>
    public static RingId Of(StepNumber step) => new(step.Epoch.Term, step.Counter);

    /// <summary>Reads a ring; fails the reader for one that no step can have made.</summary>
    public static RingId Read(scoped ref WireReader reader)
    {
        var ring = new RingId(reader.ReadVarint(), reader.ReadVarint(long.MaxValue));
        if (ring.Counter == 0) reader.Fail();
        return ring;
    }

    /// <summary>Writes the ring.</summary>
    public void WriteTo(ref WireWriter writer)
    {
        writer.WriteVarint(Term);
        writer.WriteVarint(Counter);
    }

    /// <summary>The order in which rings were made.</summary>
    public int CompareTo(RingId other) =>
        Term != other.Term ? Term.CompareTo(other.Term) : Counter.CompareTo(other.Counter);

    /// <summary>True when <paramref name="left"/> was made earlier.</summary>
    public static bool operator <(RingId left, RingId right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> was made later.</summary>
    public static bool operator >(RingId left, RingId right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> was not made later.</summary>
    public static bool operator <=(RingId left, RingId right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> was not made earlier.</summary>
    public static bool operator >=(RingId left, RingId right) => left.CompareTo(right) >= 0;

    /// <inheritdoc/>
    public override string ToString() => $"{Term}/{Counter}";
}
