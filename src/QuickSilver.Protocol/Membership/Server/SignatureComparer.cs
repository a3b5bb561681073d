using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Compares the signatures of regions, the rising counters of their groups, by content. A hash reads the whole
/// signature.
/// </summary>
internal sealed class SignatureComparer : IEqualityComparer<uint[]>
{
    /// <inheritdoc/>
    public bool Equals(uint[]? x, uint[]? y) => x.AsSpan().SequenceEqual(y);

    /// <inheritdoc/>
    public int GetHashCode(uint[] obj)
    {
        ulong hash = (ulong)obj.Length;
        foreach (uint counter in obj) hash = SeededRandom.Mix(hash ^ counter);
        return (int)hash;
    }
}
