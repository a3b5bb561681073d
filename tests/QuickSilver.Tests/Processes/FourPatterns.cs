using QuickSilver.TestPrograms;

namespace QuickSilver.Tests.Processes;

/// <summary>
/// A world of one publisher P and eight subscribers with 200 groups in four membership patterns, fifty groups each,
/// small enough to work out by hand. P is in all groups.
/// <code>
/// pattern   subscribers      regions it spans, P's own share apart
/// a         1 2 3 4 5 6 7 8  {1 2 3 4} {5} {6 7} {8 P}
/// b         1 2 3 4       8  {1 2 3 4}           {8 P}
/// c                 5 6 7 8            {5} {6 7} {8 P}
/// d         1 2 3 4 5     8  {1 2 3 4} {5}       {8 P}
/// </code>
/// A region is the nodes with the same groups: 1 to 4 are in a, b and d; 5 in a, c and d; 6 and 7 in a and c; 8 in all
/// four, like P.
/// </summary>
internal static class FourPatterns
{
    public const int Subscribers = 8;
    public const int GroupsPerPattern = 50;
    public const int Groups = 4 * GroupsPerPattern;

    private static readonly string[] Patterns = ["a", "b", "c", "d"];

    /// <summary>The patterns that subscriber 1 to 8 is in.</summary>
    public static IReadOnlyList<string> PatternsOf(int subscriber) => subscriber switch
    {
        >= 1 and <= 4 => ["a", "b", "d"],
        5 => ["a", "c", "d"],
        6 or 7 => ["a", "c"],
        _ => Patterns,
    };

    /// <summary>The regions that P sees, as text: members, then patterns.</summary>
    public static IReadOnlyList<string> Regions => ["1 of acd", "2 of abcd", "2 of ac", "4 of abd"];

    /// <summary>How often a message leaves P, summed over one message of each pattern: one for each region, or one for
    /// each subscriber.</summary>
    public static int CopiesOfOneEach(TransportKind transport) =>
        transport == TransportKind.Multicast ? 4 + 2 + 3 + 3 : 8 + 5 + 4 + 6;

    /// <summary>The part of the command line that names the groups of patterns.</summary>
    public static string[] Arguments(IEnumerable<string> patterns) =>
        ["--groups", ProgramCluster.Text(GroupsPerPattern),
            .. patterns.SelectMany(pattern => (string[])["--prefix", pattern])];

    /// <summary>The same for P.</summary>
    public static string[] PublisherArguments => Arguments(Patterns);

    /// <summary>Regions in the form of <see cref="Regions"/>; a region that is not made of whole patterns shows as
    /// such.</summary>
    public static IEnumerable<string> Describe(IEnumerable<QuickSilver.TestPrograms.RegionReport> regions) =>
        regions.Select(Describe).Order(StringComparer.Ordinal);

    private static string Describe(QuickSilver.TestPrograms.RegionReport region)
    {
        IEnumerable<string> patterns = region.Groups.GroupBy(group => group[..1])
            .OrderBy(pattern => pattern.Key, StringComparer.Ordinal)
            .Select(pattern => pattern.Count() == GroupsPerPattern ? pattern.Key : $"{pattern.Key}({pattern.Count()})");
        return $"{region.Members} of {string.Concat(patterns)}";
    }
}
