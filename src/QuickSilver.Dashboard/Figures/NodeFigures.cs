using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>A node at one tick.</summary>
/// <param name="Report">What it said last.</param>
/// <param name="Row">Its row in the table.</param>
/// <param name="Repairs">What it lost lately.</param>
/// <param name="Groups">Its busiest groups.</param>
internal sealed record NodeFigures(NodeReport Report, NodeRow Row, RepairRow Repairs, IReadOnlyList<GroupRow> Groups)
{
    /// <summary>Puts a node together.</summary>
    public static NodeFigures Of(NodeReport report, NodeHistory history)
    {
        NodeSnapshot snapshot = report.Snapshot;
        NodeStatistics statistics = snapshot.Statistics;
        var row = new NodeRow
        {
            Id = snapshot.Member.Id.ToString(),
            Name = snapshot.Member.Name,
            Version = snapshot.Version,
            State = statistics.State,
            Silent = report.IsSilent,
            AgeSeconds = Clean.Of(report.Age.TotalSeconds),
            Groups = statistics.Groups,
            // A silent node's rates are those of another time.
            Sent = Now(report.Rates.MessagesSent),
            Received = Now(report.Rates.MessagesReceived),
            BytesReceived = Now(report.Rates.BytesReceived),
            RateActual = Now(statistics.RateActual),
            RateLimit = Clean.Of(statistics.RateLimit),
            Missed = Now(report.Rates.PacketsMissed),
            RepairsFromPeers = Now(report.Rates.RepairsFromPeers),
            RepairsFromSenders = Now(report.Rates.RepairsFromSenders),
            Lost = statistics.MessagesLost,
            TokenMs = Clean.Milliseconds(snapshot.TokenRoundTrip),
            Loop = Math.Min(1, Now(snapshot.LoopUse)),
            PendingBytes = statistics.PendingBytes,
            InboxBytes = statistics.InboxBytes,
        };
        return new NodeFigures(report, row, history.Repairs(snapshot), history.Groups);

        double Now(double figure) => report.IsSilent ? 0 : Clean.Of(figure);
    }
}
