namespace QuickSilver.Protocol.Sites;

/// <summary>
/// Who sent a record first, and for which group. With the record's number it names the record in all sites, whatever
/// links it takes. A restarted node has another number, so its records begin again at 1.
/// </summary>
/// <param name="Site">Index of the site that it comes from.</param>
/// <param name="Node">Key of the node that sent it, which rises with each restart.</param>
/// <param name="Group">The group that it is for.</param>
internal readonly record struct StreamId(int Site, ulong Node, uint Group) : IComparable<StreamId>
{
    /// <summary>By site, node, group.</summary>
    public int CompareTo(StreamId other)
    {
        int bySite = Site.CompareTo(other.Site);
        if (bySite != 0) return bySite;
        int byNode = Node.CompareTo(other.Node);
        return byNode != 0 ? byNode : Group.CompareTo(other.Group);
    }

    /// <summary>True when <paramref name="left"/> comes first.</summary>
    public static bool operator <(StreamId left, StreamId right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> comes last.</summary>
    public static bool operator >(StreamId left, StreamId right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> does not come last.</summary>
    public static bool operator <=(StreamId left, StreamId right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> does not come first.</summary>
    public static bool operator >=(StreamId left, StreamId right) => left.CompareTo(right) >= 0;

    /// <inheritdoc/>
    public override string ToString() => $"site {Site}, node {Node:x}, group {Group}";
}
