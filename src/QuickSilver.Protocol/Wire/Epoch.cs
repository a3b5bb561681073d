namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The epoch of one membership server: a term that only rises, and the server's random id. Every number that a server
/// assigns carries its epoch, so numbers never go back. Two servers that follow the same one take different terms,
/// except with probability 1/251; the id distinguishes them.
/// </summary>
/// <param name="Term">Rises by at least one with each new server; 0 means "no epoch".</param>
/// <param name="Server">Random id of the server of this epoch.</param>
internal readonly record struct Epoch(ulong Term, ulong Server) : IComparable<Epoch>
{
    /// <summary>Term first, then server id.</summary>
    public int CompareTo(Epoch other)
    {
        int byTerm = Term.CompareTo(other.Term);
        return byTerm != 0 ? byTerm : Server.CompareTo(other.Server);
    }

    /// <summary>True when <paramref name="left"/> is older.</summary>
    public static bool operator <(Epoch left, Epoch right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> is newer.</summary>
    public static bool operator >(Epoch left, Epoch right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> is not newer.</summary>
    public static bool operator <=(Epoch left, Epoch right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> is not older.</summary>
    public static bool operator >=(Epoch left, Epoch right) => left.CompareTo(right) >= 0;

    /// <inheritdoc/>
    public override string ToString() => $"{Term}.{Server:x}";
}
