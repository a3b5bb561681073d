namespace QuickSilver.Runtime;

/// <summary>What the handles of a node share: the membership in a group, or the permission to publish to it.</summary>
/// <param name="Name">The name of the group.</param>
/// <param name="IsPublisher">True for the permission to publish.</param>
internal readonly record struct GroupKey(string Name, bool IsPublisher)
{
    /// <inheritdoc/>
    public bool Equals(GroupKey other) =>
        IsPublisher == other.IsPublisher && string.Equals(Name, other.Name, StringComparison.Ordinal);

    /// <inheritdoc/>
    public override int GetHashCode() => Name.GetHashCode(StringComparison.Ordinal) ^ (IsPublisher ? 1 : 0);
}
