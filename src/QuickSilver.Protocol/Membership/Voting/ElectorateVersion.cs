namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>Orders the electorates of a cluster.</summary>
/// <param name="Term">The term of the server that made it.</param>
/// <param name="Change">Number of changes before it in that term.</param>
internal readonly record struct ElectorateVersion(long Term, uint Change) : IComparable<ElectorateVersion>
{
    /// <inheritdoc/>
    public int CompareTo(ElectorateVersion other) =>
        Term != other.Term ? Term.CompareTo(other.Term) : Change.CompareTo(other.Change);

    /// <summary>True when <paramref name="left"/> is the earlier one.</summary>
    public static bool operator <(ElectorateVersion left, ElectorateVersion right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> is the later one.</summary>
    public static bool operator >(ElectorateVersion left, ElectorateVersion right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> is not the later one.</summary>
    public static bool operator <=(ElectorateVersion left, ElectorateVersion right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> is not the earlier one.</summary>
    public static bool operator >=(ElectorateVersion left, ElectorateVersion right) => left.CompareTo(right) >= 0;
}
