using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>A process that votes on who serves its cluster. Immutable.</summary>
/// <param name="Id">Drawn by the process: each life has another.</param>
/// <param name="Place">Where it is asked, and would serve.</param>
/// <param name="Name">The name of its node; empty for none.</param>
/// <param name="Weight">Number of its votes.</param>
internal sealed record VoterInfo(ulong Id, NetEndpoint Place, string Name, int Weight)
{
    /// <summary>The largest number of votes of one process.</summary>
    public const int MaxWeight = 100;

    /// <summary>The fewest bytes of a voter in a frame.</summary>
    public const int MinBytes = 8 + 4 + 1 + 1 + 1;

    /// <summary>True for another life of the same node, at the same place: one of the two has ended.</summary>
    public bool HasSeatOf(VoterInfo other) => Id != other.Id && Place == other.Place && Name == other.Name;

    /// <summary>The name, or the place of a process without one.</summary>
    public override string ToString() => Name.Length > 0 ? $"'{Name}' ({Place})" : Place.ToString();
}
