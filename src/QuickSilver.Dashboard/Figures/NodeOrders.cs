using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>What nodes are sorted by, largest first, besides their names.</summary>
internal static class NodeOrders
{
    /// <summary>The order unless another is asked for.</summary>
    public const string Default = Paging.ByName;

    /// <summary>The figures by the names of the orders.</summary>
    public static IReadOnlyDictionary<string, Func<NodeRow, double>> All { get; } =
        new Dictionary<string, Func<NodeRow, double>>
        {
            ["age"] = static row => row.Silent ? row.AgeSeconds : 0,
            ["sent"] = static row => row.Sent,
            ["received"] = static row => row.Received,
            ["bytes"] = static row => row.BytesReceived,
            ["rate"] = static row => row.RateLimit > 0 ? row.RateActual / row.RateLimit : 0,
            ["missed"] = static row => row.Missed,
            ["repairs"] = static row => row.RepairsFromPeers + row.RepairsFromSenders,
            ["lost"] = static row => row.Lost,
            ["token"] = static row => row.TokenMs,
            ["loop"] = static row => row.Loop,
            ["pending"] = static row => row.PendingBytes,
            ["inbox"] = static row => row.InboxBytes,
            ["groups"] = static row => row.Groups,
        };
}
