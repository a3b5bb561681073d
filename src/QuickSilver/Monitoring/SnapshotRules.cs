using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Monitoring;

/// <summary>The rules of a snapshot from another node: lengths of lists, names, finite numbers, known values of
/// enumerations. Stateless.</summary>
internal static class SnapshotRules
{
    /// <summary>True for a snapshot that breaks no rule.</summary>
    public static bool IsGood(NodeSnapshot one) =>
        one.Number >= 0
        && one.Version.Length <= SnapshotLimits.VersionChars && FrameFields.IsPlain(one.Version)
        && IsShare(one.LoopUse)
        && IsGood(one.TokenRoundTrip)
        && one.Statistics is { } statistics && IsGood(statistics)
        && AreGood(one.Slowest, SnapshotLimits.Lags, IsGood)
        && AreGood(one.Groups, SnapshotLimits.Groups, IsGood)
        && AreGood(one.Regions, SnapshotLimits.Regions, IsGood)
        && AreGood(one.Views, SnapshotLimits.Views, IsGood)
        && AreGood(one.Inboxes, SnapshotLimits.Inboxes, IsGood);

    private static bool IsGood(NodeStatistics one) =>
        Enum.IsDefined(one.State)
        && Enum.IsDefined(one.Security)
        && (one.Cipher is not { } cipher || Enum.IsDefined(cipher))
        && one.Uptime >= TimeSpan.Zero
        && one is { Groups: >= 0, Publishers: >= 0, Regions: >= 0, Members: >= 0, MembersHoldingUp: >= 0 }
        && IsRate(one.RateLimit)
        && IsRate(one.RateActual)
        && IsShare(one.LoopUtilization)
        && one is { Lateral: not null, Timed: not null, Ordered: not null };

    private static bool IsGood(MemberLag one) =>
        IsGood(one.Member)
        && Enum.IsDefined(one.Reason)
        && one.Packets >= 0
        && one.Duration >= TimeSpan.Zero
        && AreGood(one.Groups, SnapshotLimits.PlacesOfLag, Names.IsValid)
        && one.Regions is { Count: <= SnapshotLimits.PlacesOfLag };

    private static bool IsGood(GroupStatistics one) =>
        Names.IsValid(one.Name)
        && Enum.IsDefined(one.Mode)
        && one is { Members: >= 0, Regions: >= 0, MessagesSent: >= 0, MessagesReceived: >= 0 }
        && one is { BytesSent: >= 0, BytesReceived: >= 0, PendingBytes: >= 0, InboxMessages: >= 0, InboxBytes: >= 0 };

    private static bool IsGood(RegionReport one) =>
        one is { MemberCount: >= 0, GroupCount: >= 0 }
        && AreGood(one.Members, SnapshotLimits.MembersOfRegion, IsGood)
        && IsGood(one.TokenRoundTrip)
        && IsRate(one.Rate ?? 0)
        && IsRate(one.RateLimit ?? 0)
        && one.Unstable is null or >= 0;

    private static bool IsGood(ViewChangeReport one) =>
        one.GroupCount >= 0
        && AreGood(one.Joined, SnapshotLimits.NamesOfView, IsNodeName)
        && AreGood(one.Left, SnapshotLimits.NamesOfView, IsNodeName);

    private static bool IsGood(InboxReport one) =>
        Names.IsValid(one.Group) && one is { Messages: >= 0, Bytes: >= 0 };

    private static bool IsGood(Member? one) => one is not null && IsNodeName(one.Name) && IsNodeName(one.Identity);

    // A node may have no name, and has no identity without a certificate.
    private static bool IsNodeName(string? name) => name is "" || Names.IsValid(name);

    private static bool IsGood(TimeSpan? time) => time is null || time >= TimeSpan.Zero;

    private static bool IsRate(double value) => double.IsFinite(value) && value >= 0;

    private static bool IsShare(double value) => value is >= 0 and <= 1;

    private static bool AreGood<T>(IReadOnlyList<T>? list, int most, Predicate<T> isGood)
        where T : class
    {
        if (list is null || list.Count > most) return false;
        foreach (T? one in list)
        {
            if (one is null || !isGood(one)) return false;
        }
        return true;
    }
}
