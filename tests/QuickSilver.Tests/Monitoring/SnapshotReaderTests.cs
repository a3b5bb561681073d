using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using QuickSilver.Monitoring;

namespace QuickSilver.Tests.Monitoring;

/// <summary>Snapshots of other nodes may be anything: the reader answers, and takes nothing beyond the
/// bounds.</summary>
public sealed class SnapshotReaderTests
{
    private const int Runs = 20_000;

    private static readonly Member Sender = SnapshotSamples.Node(7);

    // Paths in the JSON of a snapshot, and what must not stand there.
    public static TheoryData<string, string> Faults { get; } = new()
    {
        { "Statistics", "null" },
        { "Statistics.RateActual", "1e999" },
        { "Statistics.RateLimit", "-1" },
        { "Statistics.LoopUtilization", "1.5" },
        { "Statistics.State", "99" },
        { "Statistics.State", "\"Melting\"" },
        { "Statistics.Cipher", "77" },
        { "Statistics.Uptime", "\"-00:00:01\"" },
        { "Statistics.Groups", "-1" },
        { "Statistics.Groups", "99999999999" },
        { "Statistics.Lateral", "null" },
        { "LoopUse", "-0.1" },
        { "LoopUse", "\"NaN\"" },
        { "Number", "-1" },
        { "Version", "\"\\u0007\"" },
        { "Version", "\"" + new string('1', 65) + "\"" },
        { "TokenRoundTrip", "\"-00:00:01\"" },
        { "Groups.0", "null" },
        { "Groups.0.Name", "\"\\u202e\"" },
        { "Groups.0.Name", "\"\"" },
        { "Groups.0.Name", "null" },
        { "Groups.0.Name", "\"\\ud800\"" },
        { "Groups.0.Mode", "9" },
        { "Groups.0.BytesSent", "-1" },
        { "Groups", "{}" },
        { "Regions.0.Members", "null" },
        { "Regions.0.Members.0", "null" },
        { "Regions.0.Members.0.Id", "\"nowhere\"" },
        { "Regions.0.Members.0.Name", "\"a\\nb\"" },
        { "Regions.0.Members.0.Identity", "null" },
        { "Regions.0.Rate", "1e999" },
        { "Regions.0.MemberCount", "-1" },
        { "Regions.0.Unstable", "-1" },
        { "Slowest.0.Member", "null" },
        { "Slowest.0.Reason", "17" },
        { "Slowest.0.Groups", "null" },
        { "Slowest.0.Regions", "null" },
        { "Slowest.0.Packets", "-1" },
        { "Views.0.Joined.0", "\"\\u0000\"" },
        { "Views.0.Left", "null" },
        { "Inboxes.0.Group", "null" },
        { "Inboxes.0.Bytes", "-5" },
    };

    [Fact]
    public void What_is_written_is_read_back_and_the_sender_is_that_of_the_message()
    {
        NodeSnapshot written = SnapshotSamples.Full(1, groups: 3, regions: 2);
        NodeSnapshot? read = SnapshotReader.TryRead(Write(written), Sender);
        Assert.NotNull(read);
        Assert.Equal(Sender, read.Member);
        Assert.Equal(
            JsonSerializer.Serialize(written with { Member = Sender }), JsonSerializer.Serialize(read));
    }

    [Fact]
    public void Lists_that_are_missing_are_empty_and_unknown_members_are_skipped()
    {
        JsonObject json = Json();
        foreach (string list in new[] { "Slowest", "Groups", "Regions", "Views", "Inboxes", "Version" })
            json.Remove(list);
        json["Later"] = new JsonArray(1, 2);
        NodeSnapshot? read = SnapshotReader.TryRead(Bytes(json), Sender);
        Assert.NotNull(read);
        Assert.Equal((0, 0, 0, 0, 0, ""),
            (read.Slowest.Count, read.Groups.Count, read.Regions.Count, read.Views.Count, read.Inboxes.Count,
                read.Version));
    }

    [Theory]
    [MemberData(nameof(Faults))]
    public void What_breaks_a_bound_is_no_snapshot(string path, string value)
    {
        JsonObject json = Json();
        Assert.NotNull(SnapshotReader.TryRead(Bytes(json), Sender));
        string[] steps = path.Split('.');
        JsonNode at = json;
        foreach (string step in steps[..^1]) at = at is JsonArray ? at[int.Parse(step)]! : at[step]!;
        // The value as text, since no node has some of these.
        const string mark = "the place of the fault";
        if (at is JsonArray array) array[int.Parse(steps[^1])] = mark;
        else at[steps[^1]] = mark;
        string text = json.ToJsonString().Replace($"\"{mark}\"", value, StringComparison.Ordinal);
        Assert.Null(SnapshotReader.TryRead(Encoding.UTF8.GetBytes(text), Sender));
    }

    [Theory]
    [InlineData("Groups", 33)]
    [InlineData("Regions", 65)]
    [InlineData("Views", 17)]
    [InlineData("Slowest", 9)]
    [InlineData("Inboxes", 9)]
    public void Longer_lists_are_no_snapshot(string list, int count)
    {
        JsonObject json = Json();
        JsonNode one = json[list]![0]!.DeepClone();
        if (list == "Regions") one["Members"] = new JsonArray();
        json[list] = new JsonArray([.. Enumerable.Range(0, count).Select(_ => one.DeepClone())]);
        Assert.Null(SnapshotReader.TryRead(Bytes(json), Sender));
        ((JsonArray)json[list]!).RemoveAt(0);
        Assert.NotNull(SnapshotReader.TryRead(Bytes(json), Sender));
    }

    [Fact]
    public void What_is_no_JSON_or_too_long_or_too_deep_is_no_snapshot()
    {
        Assert.Null(SnapshotReader.TryRead([], Sender));
        Assert.Null(SnapshotReader.TryRead("null"u8, Sender));
        Assert.Null(SnapshotReader.TryRead("7"u8, Sender));
        Assert.Null(SnapshotReader.TryRead("{}"u8, Sender));
        Assert.Null(SnapshotReader.TryRead(new byte[SnapshotLimits.Bytes], Sender));
        byte[] good = Write(SnapshotSamples.Full(1, groups: 1, regions: 1));
        byte[] padded = [.. good, .. Enumerable.Repeat((byte)' ', SnapshotLimits.Bytes - good.Length)];
        Assert.NotNull(SnapshotReader.TryRead(padded, Sender));
        Assert.Null(SnapshotReader.TryRead([.. padded, (byte)' '], Sender));
        JsonObject json = Json();
        json["Later"] = JsonNode.Parse(new string('[', 12) + new string(']', 12));
        Assert.Null(SnapshotReader.TryRead(Bytes(json), Sender));
    }

    [Fact]
    public void Any_bytes_are_a_snapshot_or_refused()
    {
        var random = new Random(49);
        byte[] good = Write(SnapshotSamples.Full(1, groups: 2, regions: 2));
        byte[][] words = [.. new[] { "null", "-1", "1e400", "[]", "{}", "\"\\ud83d\"", "\"x\"", "99", ",", "}", "[[[" }
            .Select(Encoding.UTF8.GetBytes)];
        int read = 0;
        for (int run = 0; run < Runs; run++)
        {
            var bytes = new List<byte>(good);
            for (int change = random.Next(1, 5); change > 0; change--)
            {
                int at = random.Next(bytes.Count);
                switch (random.Next(5))
                {
                    case 0: bytes[at] = (byte)random.Next(256); break;
                    case 1: bytes.RemoveRange(at, Math.Min(random.Next(1, 40), bytes.Count - at)); break;
                    case 2: bytes.InsertRange(at, words[random.Next(words.Length)]); break;
                    case 3: bytes.InsertRange(at, bytes.GetRange(0, random.Next(at + 1))); break;
                    default: bytes.RemoveRange(at, bytes.Count - at); break;
                }
                if (bytes.Count == 0) break;
            }
            if (SnapshotReader.TryRead(bytes.ToArray(), Sender) is not { } snapshot) continue;
            read++;
            Assert.True(SnapshotRules.IsGood(snapshot));
        }
        Assert.InRange(read, 1, Runs - 1);
    }

    private static JsonObject Json() =>
        JsonNode.Parse(Write(SnapshotSamples.Full(1, groups: 2, regions: 2)))!.AsObject();

    private static byte[] Bytes(JsonNode json) => Encoding.UTF8.GetBytes(json.ToJsonString());

    private static byte[] Write(NodeSnapshot snapshot) =>
        new SnapshotWriter().Write(snapshot, SnapshotLimits.Bytes).ToArray();
}
