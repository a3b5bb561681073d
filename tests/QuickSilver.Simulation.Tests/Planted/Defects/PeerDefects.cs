using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes of elections among the hosts themselves.</summary>
internal static class PeerDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "VoteGivenTwice",
            "A process gives its vote to another before the time is over for which it gave it.",
            nameof(PeerRun), 200, "V6", "V5", "V7")
        {
            Patches =
            [
                new(
                    "Voter.cs",
                    "leader.Leader.Id != asker) return VoteVerdict.Held;",
                    "leader.Leader.Id != asker && now < _since) return VoteVerdict.Held;"),
            ],
        },
        new(
            "MajorityWithRemovedVoters",
            "While the electorate changes, voters that are about to go out still make a majority alone.",
            nameof(PeerRun), 600, "V6")
        {
            Patches =
            [
                new(
                    "Electorate.cs",
                    "IsMajority(Voters, ids) && (!IsJoint || IsMajority(Former, ids))",
                    "IsMajority(IsJoint ? Former : Voters, ids)"),
            ],
        },
        new(
            "MajorityOfNewVotersAlone",
            "While the electorate changes, the new voters make a majority alone.",
            nameof(PeerRun), 600, "V6")
        {
            Patches =
            [
                new(
                    "Electorate.cs",
                    "IsMajority(Voters, ids) && (!IsJoint || IsMajority(Former, ids))",
                    "IsMajority(Voters, ids)"),
            ],
        },
        new(
            "OlderElectorateElects",
            "A voter takes the word of a candidate whose electorate is older than the one that it knows.",
            nameof(PeerRun), 600, "V6", "V9")
        {
            Patches =
            [
                new(
                    "Voter.cs",
                    "if (request.Electing < Known.Version) return VoteVerdict.OlderElectorate;",
                    "if (request.Electing < Known.Version) return VoteVerdict.Granted;"),
            ],
        },
        new(
            "RestartedMajority",
            "Processes that have forgotten everything make a majority without the others.",
            nameof(PeerRun.Forgotten), 60, "V6")
        {
            Patches =
            [
                new(
                    "VoteRound.cs",
                    "Electorate.IsMajority(_granted) && (!HasSuccessors || HasAll)",
                    "Electorate.IsMajority(_granted)"),
            ],
        },
        new(
            "FoundingBesideALivingCluster",
            "A process founds a cluster though a member of one has answered it.",
            nameof(PeerRun), 100, "V6")
        {
            Patches =
            [
                new(
                    "Canvass.cs",
                    "if (looks.FirstOrDefault(static look => look.Instance != 0) is { } member)",
                    "if (looks.FirstOrDefault(static look => look.Instance == 1) is { } member)"),
            ],
        },
        new(
            "MergeKeepsAnIncarnation",
            "A server takes over nodes of another cluster of its name under the numbers that they have there.",
            nameof(PeerRun), 1500, "V5", "V6", "V7", "V8", "V9", "V10", "D1", "L3")
        {
            Patches =
            [
                new(
                    "Registrar.cs",
                    "if (electorate != 0 && hello.Electorate != 0 && hello.Electorate != electorate)",
                    "if (electorate == 1)"),
            ],
        },
    ];
}
