using System.Diagnostics.Metrics;
using System.Globalization;
using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Diagnostics;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Tests.Docs;

/// <summary>What the pages for users say is what the code does.</summary>
[Collection(NodeCollection.Name)]
public sealed partial class DocsTests
{
    [Theory]
    [InlineData("docs/failures.md", "tests/QuickSilver.Tests/Docs/FailureSnippets.cs")]
    [InlineData("docs/getting-started.md", "tests/QuickSilver.Tests/Docs/StartSnippets.cs")]
    [InlineData("docs/services.md", "tests/QuickSilver.Hosting.Tests/ServiceSnippets.cs")]
    [InlineData("docs/tutorial.md", "tests/QuickSilver.Hosting.Tests/TutorialSnippets.cs")]
    [InlineData("docs/testing-your-code.md", "tests/QuickSilver.Hosting.Tests/TestingSnippets.cs")]
    [InlineData("README.md", "tests/Programs/Greetings/ReadmePrograms.cs")]
    public void The_code_on_the_pages_is_compiled(string page, string snippets)
    {
        string source = Flatten(File.ReadAllText(SourceTree.PathOf(snippets)));
        MatchCollection blocks = CodeBlock().Matches(File.ReadAllText(SourceTree.PathOf(page)));
        Assert.NotEmpty(blocks);
        foreach (Match block in blocks)
        {
            string code = block.Groups[1].Value.Replace("using QuickSilver;\n", "", StringComparison.Ordinal);
            Assert.Contains(Flatten(code), source, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Every_error_code_and_loss_reason_is_explained()
    {
        string errors = File.ReadAllText(SourceTree.PathOf("docs/errors.md"));
        foreach (ErrorCode code in Enum.GetValues<ErrorCode>())
            Assert.Contains($"| {(int)code} `{code}` |", errors, StringComparison.Ordinal);
        foreach (LossReason reason in Enum.GetValues<LossReason>())
            Assert.Contains($"| `{reason}` |", errors, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_log_record_and_instrument_is_listed()
    {
        string page = File.ReadAllText(SourceTree.PathOf("docs/monitoring.md"));
        int[] ids = [.. Records().Select(static record => record.EventId)];
        Assert.NotEmpty(ids);
        string listed = string.Concat(
            page.Split('\n').Where(static line => line.StartsWith("| 1", StringComparison.Ordinal)));
        Assert.All(
            ids, id => Assert.Contains(id.ToString(CultureInfo.InvariantCulture), listed, StringComparison.Ordinal));

        var instruments = new List<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name == "QuickSilver") instruments.Add(instrument.Name);
            },
        };
        listener.Start();
        var log = new NodeLog(NullLoggerFactory.Instance, "node");
        using var meter = new NodeMeter(null, "of the page", "memory", static () => new NodeStatistics(), log);
        Assert.NotEmpty(instruments);
        Assert.All(instruments, name => Assert.Contains($"`{name}`", page, StringComparison.Ordinal));
    }

    [Fact]
    public void A_record_about_the_path_between_two_nodes_stands_on_the_page_in_its_own_words()
    {
        string[] rows = [.. File.ReadLines(SourceTree.PathOf("docs/monitoring.md"))];
        LoggerMessageAttribute[] records = [
            .. Records().Where(static record => record.EventId is >= 1210 and <= 1225)];
        Assert.Equal(10, records.Length);
        foreach (LoggerMessageAttribute record in records)
        {
            string row = Assert.Single(
                rows, row => row.StartsWith($"| {record.EventId} | ", StringComparison.Ordinal));
            Assert.Contains($" | {record.Level} | ", row, StringComparison.OrdinalIgnoreCase);
            // What stands before the advice, which the page leaves out.
            string said = Placeholder().Replace(record.Message.Split(". ")[0], " ");
            Assert.All(
                Words().Matches(said).Select(static word => word.Value),
                word => Assert.Contains(word, row, StringComparison.OrdinalIgnoreCase));
        }
    }

    [Fact]
    public async Task A_program_that_follows_a_group_as_the_page_says_survives_an_eviction()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        var told = new System.Collections.Concurrent.ConcurrentQueue<string>();
        var read = new System.Collections.Concurrent.ConcurrentQueue<string>();
        FailureSnippets.Watch(right.Node, told.Enqueue);
        using var stop = new CancellationTokenSource();
        Task following = FailureSnippets.FollowAsync(
            right.Node, "followed", message => read.Enqueue(message.GetString()), stop.Token);
        Group speaking = await left.Node.JoinAsync("followed");
        await speaking.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await speaking.SendConfirmedAsync("before");
        await NodeRig.UntilAsync(() => read.Contains("before"), "it reads");
        Trouble.Expel(right.Node);
        for (int round = 0; !read.Contains("after"); round++)
        {
            Assert.True(round < 600, "it never came back");
            await speaking.SendAsync("after");
            await Task.Delay(50);
        }
        // Events come on a thread of their own, which may be behind.
        foreach (string start in new[] { "back as ", "followed has ended: " })
            await NodeRig.UntilAsync(
                () => told.Any(text => text.StartsWith(start, StringComparison.Ordinal)), $"it is told '{start}'");
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => following.WaitAsync(NodeRig.Patience));
    }

    [Fact]
    public async Task A_confirmation_with_a_limit_as_the_page_says_tells_whom_it_waited_for()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Patient);
        (Group left, Group right) = await rig.StartPairAsync(change: Trouble.Patient);
        var told = new List<string>();
        await NodeRig.UntilAsync(
            async () =>
            {
                // The limit is that of the page: a machine under load may not keep it.
                told.Clear();
                await FailureSnippets.ConfirmAsync(left, [1], told.Add, CancellationToken.None);
                return told[0].StartsWith("2 members hold it", StringComparison.Ordinal);
            },
            "a message is confirmed");
        using (await Trouble.FreezeAsync(right.Node)) await FailureSnippets.ConfirmAsync(
            left, [2], told.Add, CancellationToken.None);
        Assert.Equal("2 members hold it, 0 were removed before they were known to", told[0]);
        Assert.Contains($"It waited for '{right.Node.Name}'", told[1], StringComparison.Ordinal);

        using var limit = new CancellationTokenSource(NodeRig.Patience);
        bool isTold = false;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => FailureSnippets.AccountAsync(
                left,
                text =>
                {
                    isTold |= text.Contains(" 1: ", StringComparison.Ordinal);
                    if (isTold) limit.Cancel();
                },
                limit.Token));
        Assert.True(isTold);
        await using Group state = await FailureSnippets.JoinStateAsync(left.Node, CancellationToken.None);
        await state.SendAsync(new byte[8]);
        await state.SendAsync(new byte[8]);
        await state.FlushAsync();
        await NodeRig.UntilAsync(
            async () => (await left.Node.GetTopGroupsAsync(9)).Single(
                static group => group.Name == "instrument state").MessagesDropped == 1, "one is replaced");
    }

    private static IEnumerable<LoggerMessageAttribute> Records() => typeof(Log).Assembly.GetTypes()
        .SelectMany(static type => type.GetMethods(
            BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
        .SelectMany(static method => method.GetCustomAttributes<LoggerMessageAttribute>());

    private static string Flatten(string text) =>
        string.Join('\n', text.Split('\n').Select(static line => line.Trim()).Where(static line => line.Length > 0));

    [GeneratedRegex(@"\{\w+\}")]
    private static partial Regex Placeholder();

    [GeneratedRegex(@"[a-z]{5,}", RegexOptions.IgnoreCase)]
    private static partial Regex Words();

    [GeneratedRegex("```csharp\\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex CodeBlock();
}
