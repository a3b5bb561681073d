namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Names one packet of a lateral group: a message, or a fragment of one.
/// </summary>
/// <param name="Sender"><see cref="NodeNumber.Key"/> of the message's sender.</param>
/// <param name="Group">Counter of the group's id.</param>
/// <param name="Number">The message's number, per (sender, group), from 1.</param>
/// <param name="Fragment">0: the whole message; else the fragment, from 1.</param>
internal readonly record struct LateralId(ulong Sender, uint Group, ulong Number, uint Fragment)
    : IComparable<LateralId>
{
    /// <summary>The most fragments of a message.</summary>
    public const uint MaxFragments = 1 << 15;

    /// <summary>True when it can name a packet.</summary>
    public bool IsValid => Sender != 0 && Group != 0 && Number != 0 && Fragment <= MaxFragments;

    /// <summary>By sender, group, number, fragment: the order in lists.</summary>
    public int CompareTo(LateralId other)
    {
        if (Sender != other.Sender) return Sender.CompareTo(other.Sender);
        if (Group != other.Group) return Group.CompareTo(other.Group);
        return Number != other.Number ? Number.CompareTo(other.Number) : Fragment.CompareTo(other.Fragment);
    }

    /// <summary>A number that depends on all of it, equal everywhere.</summary>
    public ulong Mixed =>
        Mix(Number ^ Mix(Sender ^ Mix(((ulong)Group << 32) | Fragment)));

    /// <summary>The finaliser of SplitMix64, fixed here because coefficients on the wire follow from it.</summary>
    internal static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9UL;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBUL;
        return value ^ (value >> 31);
    }

    /// <inheritdoc/>
    public override int GetHashCode() => (int)Mixed;

    /// <inheritdoc/>
    public bool Equals(LateralId other) =>
        Number == other.Number && Sender == other.Sender && Group == other.Group && Fragment == other.Fragment;
}
