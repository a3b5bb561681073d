using System.IO.Pipelines;

namespace QuickSilver.Cli.Tests.Commands;

[Trait("needs", "nodes")]
public sealed class RecordReplayTests
{
    [Fact]
    public async Task A_group_is_recorded_and_replayed()
    {
        using var folder = new TestFolder();
        string file = folder["news.qsr"];
        string cluster = ToolRun.NewCluster();
        await using ToolRun record = ToolRun.Start(
            "record", "news", file, "-c", cluster, "--count", "5", "--mode", "ordered", "--json");
        await record.ItemAsync("joined");
        (int code, _, string all) = await ToolRun.RunAsync(
            "pub", "news", "-c", cluster, "--name", "writer", "--text", "hello\n", "--count", "5", "--rate", "50");
        Assert.True(code == 0, all);
        Assert.Equal(0, await record.EndAsync());
        Assert.Equal(5, (await record.ItemAsync("recorded")).GetProperty("messages").GetInt64());

        (code, IReadOnlyList<string> lines, all) = await ToolRun.RunAsync("replay", file, "--print");
        Assert.True(code == 0, all);
        Assert.Equal(5, lines.Count(static line => line.EndsWith("writer: hello\\n", StringComparison.Ordinal)));

        await using ToolRun sub = ToolRun.Start("sub", "again", "-c", cluster, "--count", "5", "--mode", "ordered");
        await sub.UntilAsync(() => sub.All.Contains("is in again", StringComparison.Ordinal), "it is in the group");
        (code, _, all) = await ToolRun.RunAsync(
            "replay", file, "-c", cluster, "--group", "again", "--speed", "2", "--name", "player");
        Assert.True(code == 0, all);
        Assert.Equal(0, await sub.EndAsync());
        Assert.Equal(Enumerable.Repeat("player: hello\\n", 5), sub.Lines);
        Assert.Equal(2, (await ToolRun.RunAsync("record", "news", file, "-c", cluster)).Code);
    }

    [Fact]
    public async Task A_recorder_that_was_killed_leaves_what_it_had_received()
    {
        using var folder = new TestFolder();
        string file = folder["news.qsr"];
        string cluster = ToolRun.NewCluster();
        await using ToolRun record = ToolRun.Start("record", "news", file, "-c", cluster, "--json");
        await record.ItemAsync("joined");
        long before = new FileInfo(file).Length;
        (int code, _, string all) = await ToolRun.RunAsync(
            "pub", "news", "-c", cluster, "--text", "hello", "--count", "3");
        Assert.True(code == 0, all);
        await record.UntilAsync(() => new FileInfo(file).Length > before + 150, "it has written them");
        record.Kill();
        await record.EndAsync();

        (code, IReadOnlyList<string> lines, all) = await ToolRun.RunAsync("replay", file, "--print");
        Assert.True(code == 4, $"{code}: {all}");
        Assert.Equal(3, lines.Count);
        Assert.Contains("has no end after 3 messages", all, StringComparison.Ordinal);

        await using (FileStream cut = File.OpenWrite(file)) cut.SetLength(cut.Length - 2);
        await using ToolRun sub = ToolRun.Start("sub", "news", "-c", cluster, "--count", "2");
        await sub.UntilAsync(() => sub.All.Contains("is in news", StringComparison.Ordinal), "it is in the group");
        (code, _, all) = await ToolRun.RunAsync("replay", file, "-c", cluster, "--as-fast-as-possible");
        Assert.True(code == 4, $"{code}: {all}");
        Assert.Contains("cut short after 2 messages", all, StringComparison.Ordinal);
        Assert.Equal(0, await sub.EndAsync());
        Assert.Equal(2, sub.Lines.Count);
    }

    [Fact]
    public async Task Long_messages_are_recorded_and_replayed()
    {
        using var folder = new TestFolder();
        string file = folder["news.qsr"];
        string cluster = ToolRun.NewCluster();
        byte[] content = new byte[300_000];
        new Random(49).NextBytes(content);
        await using ToolRun record = ToolRun.Start("record", "news", file, "-c", cluster, "--json");
        await record.ItemAsync("joined");
        await using QuickSilverNode node = await QuickSilverNode.StartAsync(ToolRun.OptionsOf(cluster));
        await using GroupPublisher publisher = await node.OpenPublisherAsync("news");
        await publisher.WaitForMembersAsync(1).WaitAsync(ToolRun.Patience);
        PipeWriter whole = publisher.OpenWriter();
        PipeWriter given = publisher.OpenWriter();
        await given.WriteAsync(content.AsMemory(0, 1_000));
        await whole.WriteAsync(content.AsMemory(0, 100_000));
        await publisher.SendAsync("between"u8.ToArray());
        await whole.WriteAsync(content.AsMemory(100_000));
        await whole.CompleteAsync();
        await given.CompleteAsync(new InvalidOperationException("given up"));
        await publisher.FlushAsync();
        await record.UntilAsync(() => new FileInfo(file).Length > content.Length + 1_000, "it has written them");
        Assert.Equal(0, await record.InterruptAsync());
        Assert.Equal(2, (await record.ItemAsync("recorded")).GetProperty("messages").GetInt64());

        await using Group again = await node.JoinAsync("again");
        IAsyncEnumerable<LongMessage> longs = again.ReadLongMessagesAsync(TestContext.Current.CancellationToken);
        (int code, _, string all) = await ToolRun.RunAsync(
            "replay", file, "-c", cluster, "--group", "again", "--as-fast-as-possible");
        Assert.True(code == 0, all);
        int read = 0, refused = 0;
        await foreach (LongMessage message in longs)
        {
            try
            {
                using var copy = new MemoryStream();
                await message.Body.CopyToAsync(copy, TestContext.Current.CancellationToken);
                Assert.Equal(content, copy.ToArray());
                read++;
            }
            catch (QuickSilverException fault) when (fault.Code == ErrorCode.LongMessageGivenUp)
            {
                refused++;
            }
            if (read + refused == 2) break;
        }
        Assert.Equal((1, 1), (read, refused));
    }

    [Fact]
    public async Task An_interrupted_recorder_ends_its_recording_in_order()
    {
        using var folder = new TestFolder();
        string file = folder["news.qsr"];
        await using ToolRun record = ToolRun.Start("record", "news", file, "-c", ToolRun.NewCluster(), "--json");
        await record.ItemAsync("joined");
        Assert.Equal(0, await record.InterruptAsync());
        Assert.Equal(0, (await ToolRun.RunAsync("replay", file, "--print")).Code);
    }

    [Fact]
    public async Task A_file_that_is_no_recording_ends_with_4()
    {
        (int code, _, string all) = await ToolRun.RunAsync("replay", ToolRun.Program, "--print");
        Assert.Equal(4, code);
        Assert.Contains("no recording", all, StringComparison.Ordinal);
    }
}
