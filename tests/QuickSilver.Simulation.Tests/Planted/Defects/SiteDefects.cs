using QuickSilver.Simulation.Tests.Planted.Breaking;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes in links between sites.</summary>
internal static class SiteDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "HoleAskedForOnce",
            "A packet that a link lacks is asked for once, and never again.",
            PlantedPlace.Sites, 20, "S6", "S3")
        {
            Patches =
            [
                new(
                    "LinkHoles.cs",
                    "if (hole.Nacks > 0) return hole.LastNack + roundTrip.Patience;",
                    "if (hole.Nacks > 0) return Instant.Never;"),
            ],
        },
        new(
            "CopyDelivered",
            "A record that comes again when the trees have changed is delivered again.",
            PlantedPlace.Sites, 60, "S1", "S2")
        {
            Patches =
            [
                new(
                    "IncomingStream.cs",
                    "if (number < _next || _ahead.ContainsKey(number)) return RejectReason.Replayed;",
                    "if (number < _next) Deliver(number, payload, counters);\n"
                    + "if (number < _next || _ahead.ContainsKey(number)) return RejectReason.Replayed;"),
            ],
        },
        new(
            "EpochNotChecked",
            "A packet counts whatever epochs it names.",
            PlantedPlace.Sites, 20, "S6", "S3")
        {
            Patches =
            [
                new(
                    "Link.cs",
                    "if (header.Peer != _own || header.Own != _peer) return RejectReason.UnknownView;",
                    "if (_peer == 0) return RejectReason.UnknownView;"),
            ],
        },
        new(
            "SitesWithoutMembersGetAll",
            "A record goes to each site that can be reached, whether members are there or not.",
            PlantedPlace.Sites, 20, "S7")
        {
            Patches =
            [
                new("OutgoingStreams.cs", "SiteSet members = _states.Members(group);", "SiteSet members = _map.All;"),
            ],
        },
        new(
            "JoinedSiteGetsNothing",
            "A site whose members come while a stream is open is not sent to.",
            PlantedPlace.Sites, 20, "S7", "S3")
        {
            Patches =
            [
                new(
                    "OutgoingStreams.cs",
                    "TargetsNow(stream.Id.Group, now), now) | (back",
                    "TargetsNow(stream.Id.Group, now) & stream.Targets, now) | (back"),
            ],
        },
        new(
            "PrunedCountsAsLost",
            "What was sent while a site had no members is told as lost.",
            PlantedPlace.Sites, 40, "S6", "S3")
        {
            Patches =
            [
                new(
                    "IncomingStream.cs", "PassTo(lowest, counters, PassesUntil is not null);",
                    "PassTo(lowest, counters, false);"),
            ],
        },
    ];
}
