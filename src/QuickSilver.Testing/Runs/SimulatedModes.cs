using QuickSilver.Protocol.Membership;

namespace QuickSilver.Testing.Runs;

/// <summary>The modes of groups in simulated runs: a group's name says which it has.</summary>
internal static class SimulatedModes
{
    /// <summary>Begins the names of lateral groups.</summary>
    public const string Lateral = "lateral-";

    /// <summary>Begins the names of timed groups.</summary>
    public const string Timed = "timed-";

    /// <summary>Begins the names of ordered groups.</summary>
    public const string Ordered = "ordered-";

    /// <summary>The mode of a group.</summary>
    public static byte Of(string group)
    {
        if (group.StartsWith(Ordered, StringComparison.Ordinal)) return GroupModes.Ordered;
        if (group.StartsWith(Lateral, StringComparison.Ordinal)) return GroupModes.Lateral;
        return group.StartsWith(Timed, StringComparison.Ordinal) ? GroupModes.Timed : GroupModes.Reliable;
    }

    /// <summary>Sorts groups by mode: one request of a node names groups of one mode.</summary>
    internal static IEnumerable<string[]> ByMode(IEnumerable<string> names) =>
        names.GroupBy(Of).OrderBy(static mode => mode.Key).Select(static mode => mode.ToArray());
}
