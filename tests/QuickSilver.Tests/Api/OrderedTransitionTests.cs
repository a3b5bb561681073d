using System.Text;
using QuickSilver.Testing;

namespace QuickSilver.Tests.Api;

/// <summary>Event readers of an ordered group are told who goes on together, at one place among the messages.</summary>
[Collection(NodeCollection.Name)]
public sealed class OrderedTransitionTests
{
    private const int Attempts = 5;
    private const int Ahead = 40;
    private static readonly GroupOptions Safe = new() { Mode = new OrderedMode { Level = OrderedLevel.Safe } };

    [Fact]
    public async Task Members_that_go_on_read_the_same_transitional_view_at_the_same_place()
    {
        // What was on its way when the member died depends on the moment.
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            List<string>[] read = await ReadAroundACrashAsync().WaitAsync(NodeRig.Patience);
            Assert.Equal(read[0], read[1]);
            int told = read[0].FindIndex(static text => text.StartsWith("transitional", StringComparison.Ordinal));
            if (told < 0) continue;
            Assert.Equal("transitional a b", read[0][told]);
            Assert.Equal("view a b", read[0][^1]);
            Assert.InRange(told, 0, read[0].Count - 3);
            return;
        }
        Assert.Fail("no crash left a message that not all are known to hold");
    }

    private static async Task<List<string>[]> ReadAroundACrashAsync()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(
            ["a", "b", "c"], static options => options.Membership.FailureTimeout = TimeSpan.FromSeconds(2));
        Group[] groups = [await cluster["a"].JoinAsync("g", Safe), await cluster["b"].JoinAsync("g", Safe)];
        await cluster["c"].JoinAsync("g", Safe);
        foreach (Group group in groups) await group.WaitForMembersAsync(3);
        int heard = 0;
        Task<List<string>>[] reading =
            [.. groups.Select(group => ReadAsync(group, () => Interlocked.Increment(ref heard)))];
        await groups[0].SendAsync("go");
        Func<int> read = () => Volatile.Read(ref heard);
        Task[] sending = [.. groups.Select((group, index) => SendUntilAsync(group, index, reading[0], read))];
        await NodeRig.UntilAsync(() => Volatile.Read(ref heard) > 500, "messages flow");
        await cluster.CrashAsync("c");
        List<string>[] all = await Task.WhenAll(reading);
        await Task.WhenAll(sending);
        return all;
    }

    // From the first message of all to the view without the dead member.
    private static async Task<List<string>> ReadAsync(Group group, Action onMessage)
    {
        var read = new List<string>();
        bool hasBegun = false;
        await foreach (GroupEvent happened in group.ReadEventsAsync())
        {
            string text = Text(happened);
            hasBegun |= text == "go";
            if (hasBegun) read.Add(text);
            if (happened is MessageReceived) onMessage();
            if (hasBegun && text == "view a b") break;
        }
        return read;
    }

    private static async Task SendUntilAsync(Group group, int sender, Task end, Func<int> heard)
    {
        for (int sent = 0; !end.IsCompleted;)
        {
            // Two readers hear two senders.
            if (sent > (heard() / 4) + Ahead) await Task.Delay(1);
            else await group.SendAsync($"{sender} {sent++}");
        }
    }

    private static string Text(GroupEvent happened) => happened switch
    {
        MessageReceived received => Encoding.UTF8.GetString(received.Message.Payload.Span),
        ViewChanged { After: var view } =>
            $"{(view.IsTransitional ? "transitional" : "view")} "
            + string.Join(' ', view.Members.Select(static member => member.Name)),
        _ => happened.ToString()!,
    };
}
