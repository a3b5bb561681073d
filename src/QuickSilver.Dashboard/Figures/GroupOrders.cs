using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>What groups are sorted by, largest first, besides their names.</summary>
internal static class GroupOrders
{
    /// <summary>The order unless another is asked for.</summary>
    public const string Default = "bytes";

    /// <summary>The figures by the names of the orders.</summary>
    public static IReadOnlyDictionary<string, Func<GroupRow, double>> All { get; } =
        new Dictionary<string, Func<GroupRow, double>>
        {
            ["bytes"] = static row => row.BytesReceived,
            ["sent"] = static row => row.Sent,
            ["received"] = static row => row.Received,
            ["members"] = static row => row.Members,
            ["pending"] = static row => row.PendingBytes,
            ["inbox"] = static row => row.InboxBytes,
            ["lost"] = static row => row.Lost,
            ["dropped"] = static row => row.Dropped,
        };
}
