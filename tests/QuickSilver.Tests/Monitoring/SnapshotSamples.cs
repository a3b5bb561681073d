using System.Net;

namespace QuickSilver.Tests.Monitoring;

/// <summary>Snapshots for tests.</summary>
internal static class SnapshotSamples
{
    public static Member Node(int number, string? name = null) =>
        new(new MemberId(new IPEndPoint(IPAddress.Loopback, 1_000 + number), 1), name ?? $"n{number:000}");

    /// <summary>A snapshot with as much in its lists as there may be, or more.</summary>
    public static NodeSnapshot Full(int number, int groups = 32, int regions = 64, string? name = null)
    {
        Member member = Node(number, name);
        return new NodeSnapshot
        {
            Member = member,
            Number = 1,
            Version = "1.0.0",
            Statistics = new NodeStatistics
            {
                Time = DateTimeOffset.UnixEpoch,
                Uptime = TimeSpan.FromSeconds(10),
                State = NodeState.Running,
                Groups = 10_000,
                Regions = regions,
                MessagesSent = 1_000_000_000,
                RateActual = 1234.5,
            },
            Slowest = [.. Enumerable.Range(0, 8).Select(index => Lag(index, 100 - index))],
            Groups = [.. Enumerable.Range(0, groups).Select(index => new GroupStatistics
            {
                Name = name ?? $"group-{index:00000}",
                Members = 200,
                Regions = 3,
                BytesReceived = long.MaxValue,
                BytesSent = long.MaxValue,
                MessagesReceived = long.MaxValue,
                MessagesSent = long.MaxValue,
            })],
            Regions = [.. Enumerable.Range(0, regions).Select(index => new RegionReport
            {
                Number = (ulong)index,
                View = 1,
                IsMember = index == 0,
                MemberCount = 200,
                GroupCount = 10_000,
                Members = index < 8 ? [.. Enumerable.Range(0, 16).Select(other => Node(other, name))] : [],
                TokenRoundTrip = TimeSpan.FromMilliseconds(1),
                Rate = 1_000,
                RateLimit = 10_000,
                Unstable = 17,
            })],
            Views = [.. Enumerable.Range(0, 16).Select(index => new ViewChangeReport
            {
                Time = DateTimeOffset.UnixEpoch,
                Number = (ulong)index,
                GroupCount = 3,
                Joined = [.. Enumerable.Range(0, 8).Select(other => name ?? $"n{other:000}")],
                Left = [.. Enumerable.Range(0, 8).Select(other => name ?? $"n{other:000}")],
            })],
            Inboxes = [.. Enumerable.Range(0, 8).Select(index => new InboxReport(name ?? $"group-{index}", 3, 300))],
            LoopUse = 0.25,
            TokenRoundTrip = TimeSpan.FromMilliseconds(2),
        };
    }

    public static MemberLag Lag(int node, long packets, bool holdsUp = true) => new(
        Node(node), LagReason.Silent, packets, DateTimeOffset.UnixEpoch, TimeSpan.FromSeconds(3), holdsUp, ["news"],
        [1]);
}
