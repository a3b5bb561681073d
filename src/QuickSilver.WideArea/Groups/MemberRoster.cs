namespace QuickSilver.WideArea.Groups;

/// <summary>The members of a group at one site, gateways left out. Immutable.</summary>
/// <param name="Count">How many there are.</param>
/// <param name="Names">Names of the first of them.</param>
internal sealed record MemberRoster(int Count, IReadOnlyList<string> Names)
{
    /// <summary>Nobody.</summary>
    public static MemberRoster Empty { get; } = new(0, []);

    /// <summary>True when both have the same count and names.</summary>
    public bool IsLike(MemberRoster other) => Count == other.Count && Names.SequenceEqual(other.Names);
}
