using System.Text.Json.Serialization;
using QuickSilver.Tests.Api;
using QuickSilver.Typed;

namespace QuickSilver.Hosting.Tests;

/// <summary>Requests and replies between members.</summary>
public sealed class RequestTests
{
    [Fact]
    public async Task All_answer_but_the_killed_and_the_slow_which_are_named()
    {
        await using var rig = new HostRig();
        RequestGroup<Ask, Told> asker = await JoinAsync(await rig.StartNodeAsync(), null);
        var dying = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        QuickSilverNode[] nodes = new QuickSilverNode[5];
        for (int index = 0; index < nodes.Length; index++)
        {
            int own = index;
            nodes[index] = await rig.StartNodeAsync();
            await JoinAsync(nodes[index], async (question, stop) =>
            {
                if (own == 3) dying.TrySetResult();
                if (own >= 3) await Task.Delay(Timeout.Infinite, stop);
                return own == 2
                    ? throw new InvalidOperationException("two")
                    : new Told(question.Value.Number * 10 + own);
            });
        }
        await asker.Raw.WaitForMembersAsync(6).WaitAsync(NodeRig.Patience);
        Task<ReplySet<Told>> asked = asker.RequestAsync(new Ask(4), timeout: TimeSpan.FromSeconds(5));
        await dying.Task.WaitAsync(NodeRig.Patience);
        await Trouble.CrashAsync(nodes[3]);
        ReplySet<Told> answers = await asked.WaitAsync(NodeRig.Patience);
        Assert.False(answers.IsComplete);
        Assert.Equal(
            [(nodes[0].Name, 40), (nodes[1].Name, 41)],
            answers.Replies.Where(static reply => !reply.IsError)
                .Select(static reply => (reply.Member.Name, reply.Value.Number))
                .OrderBy(static reply => reply.Number));
        Reply<Told> thrown = Assert.Single(answers.Replies, static reply => reply.IsError);
        Assert.Equal((nodes[2].Name, "InvalidOperationException: two"), (thrown.Member.Name, thrown.Error));
        Assert.Throws<ResponderFailedException>(() => thrown.Value);
        Assert.Equal($"{nodes[2].Name} has answered with an error: InvalidOperationException: two", $"{thrown}");
        Assert.StartsWith("3 answers (", $"{answers}", StringComparison.Ordinal);
        Assert.Contains($"{nodes[0].Name}: {new Told(40)}", $"{answers}", StringComparison.Ordinal);
        Assert.Contains(nodes[4].Name, $"{answers}".Split("missing: ")[1], StringComparison.Ordinal);
        Assert.Equal(asker.Raw.ToString(), $"{asker}");
        Assert.Equal(
            new[] { nodes[3].Name, nodes[4].Name }.Order(),
            answers.Missing.Select(static member => member.Name).Order());
    }

    [Fact]
    public async Task All_or_the_first_are_complete_and_cost_a_message_each()
    {
        await using var rig = new HostRig();
        QuickSilverNode asking = await rig.StartNodeAsync();
        RequestGroup<Ask, Told> asker = await JoinAsync(asking, null);
        QuickSilverNode[] nodes = [await rig.StartNodeAsync(), await rig.StartNodeAsync()];
        foreach (QuickSilverNode node in nodes)
            await JoinAsync(node, static (question, _) => ValueTask.FromResult(new Told(question.Value.Number)));
        await asker.Raw.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);

        ReplySet<Told> all = await asker.RequestAsync(new Ask(1)).WaitAsync(NodeRig.Patience);
        Assert.True(all.IsComplete);
        Assert.Empty(all.Missing);
        Assert.Equal([1, 1], all.Replies.Select(static reply => reply.Value.Number));
        // The request, and the asker's own answer that it has no responder.
        Assert.Equal(2, (await asking.GetStatisticsAsync()).MessagesSent);
        foreach (QuickSilverNode node in nodes) Assert.Equal(1, (await node.GetStatisticsAsync()).MessagesSent);

        ReplySet<Told> first = await asker.RequestAsync(new Ask(2), replies: 1).WaitAsync(NodeRig.Patience);
        Assert.True(first.IsComplete);
        Assert.Equal(2, Assert.Single(first.Replies).Value.Number);
        ReplySet<Told> many = await asker.RequestAsync(new Ask(3), replies: 9).WaitAsync(NodeRig.Patience);
        Assert.False(many.IsComplete);
        Assert.Equal(2, many.Replies.Count);
    }

    [Fact]
    public async Task A_quick_error_does_not_win_over_a_value()
    {
        await using var rig = new HostRig();
        RequestGroup<Ask, Told> asker = await JoinAsync(await rig.StartNodeAsync(), null);
        QuickSilverNode failing = await rig.StartNodeAsync();
        var failed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await JoinAsync(failing, static (_, _) => throw new InvalidOperationException("at once"));
        QuickSilverNode good = await rig.StartNodeAsync();
        await JoinAsync(good, async (question, stop) =>
        {
            await failed.Task.WaitAsync(stop);
            return new Told(question.Value.Number);
        });
        await asker.Raw.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        Task<ReplySet<Told>> asked = asker.RequestAsync(new Ask(5), replies: 1, timeout: NodeRig.Patience);
        // The error is on its way before the value is made.
        await NodeRig.UntilAsync(
            async () => (await failing.GetStatisticsAsync()).MessagesSent == 1, "the error is sent");
        failed.SetResult();
        ReplySet<Told> answers = await asked.WaitAsync(NodeRig.Patience);
        Assert.True(answers.IsComplete);
        Reply<Told> value = Assert.Single(answers.Replies, static reply => !reply.IsError);
        Assert.Equal((good.Name, 5), (value.Member.Name, value.Value.Number));
    }

    [Fact]
    public async Task Errors_of_all_end_a_request_for_the_first_value_at_once()
    {
        await using var rig = new HostRig();
        RequestGroup<Ask, Told> asker = await JoinAsync(await rig.StartNodeAsync(), null);
        for (int index = 0; index < 2; index++)
            await JoinAsync(await rig.StartNodeAsync(), static (_, _) => throw new InvalidOperationException("no"));
        await asker.Raw.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        ReplySet<Told> answers = await asker.RequestAsync(new Ask(5), replies: 1, timeout: TimeSpan.FromHours(12))
            .WaitAsync(NodeRig.Patience);
        Assert.False(answers.IsComplete);
        Assert.Empty(answers.Missing);
        Assert.Equal(2, answers.Replies.Count(static reply => reply.IsError));
    }

    [Fact]
    public async Task Foreign_messages_and_mistakes_disturb_nothing()
    {
        await using var rig = new HostRig();
        QuickSilverNode node = await rig.StartNodeAsync();
        RequestGroup<Ask, Told> group = await JoinAsync(
            node, static (question, _) => ValueTask.FromResult(new Told(question.Value.Number)));
        await group.Raw.SendAsync(new byte[] { 1, 2, 3 });
        await group.Raw.As(new JsonPayloadSerializer<Told>(SumContext.Default.Told)).SendAsync(new Told(1));
        Assert.Equal(7, Assert.Single((await group.RequestAsync(new Ask(7))).Replies).Value.Number);
        Assert.Equal(2, group.UndeserializedMessages);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => group.RequestAsync(new Ask(1), replies: 0));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => group.RequestAsync(new Ask(1), timeout: TimeSpan.Zero));
        await Assert.ThrowsAsync<ArgumentException>(() => node.JoinRequestsAsync(
            "other", SumContext.Default.Ask, SumContext.Default.Told,
            options: new RequestGroupOptions { MaxConcurrency = 0 }));
        await group.DisposeAsync();
        ObjectDisposedException left = await Assert.ThrowsAsync<ObjectDisposedException>(
            () => group.RequestAsync(new Ask(1)));
        Assert.StartsWith("The request group 'questions' has been left: ", left.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, "The request could not be read: JsonException: ")]
    [InlineData(false, "The reply could not be read: JsonException: ")]
    public async Task A_member_of_another_version_is_an_error_at_once(bool isRequest, string error)
    {
        await using var rig = new HostRig();
        RequestGroup<Ask, Told> asker = await JoinAsync(await rig.StartNodeAsync(), null);
        var other = new JsonPayloadSerializer<List<int>>(SumContext.Default.ListInt32);
        QuickSilverNode node = await rig.StartNodeAsync();
        if (isRequest)
        {
            await node.JoinRequestsAsync(
                "questions", other, new JsonPayloadSerializer<Told>(SumContext.Default.Told),
                static (_, _) => ValueTask.FromResult(new Told(1)));
        }
        else
        {
            await node.JoinRequestsAsync(
                "questions", new JsonPayloadSerializer<Ask>(SumContext.Default.Ask), other,
                static (_, _) => ValueTask.FromResult<List<int>>([1]));
        }
        await asker.Raw.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        ReplySet<Told> answers = await asker.RequestAsync(new Ask(1), timeout: TimeSpan.FromHours(1))
            .WaitAsync(NodeRig.Patience);
        Assert.True(answers.IsComplete);
        Assert.StartsWith(error, Assert.Single(answers.Replies).Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_that_was_answered_leaves_no_timer()
    {
        await using var rig = new HostRig();
        RequestGroup<Ask, Told> group = await JoinAsync(
            await rig.StartNodeAsync(), static (question, _) => ValueTask.FromResult(new Told(question.Value.Number)));
        long before = Timer.ActiveCount;
        for (int number = 0; number < 1000; number++)
            await group.RequestAsync(new Ask(number), timeout: TimeSpan.FromHours(12)).WaitAsync(NodeRig.Patience);
        // Other tests have timers of their own.
        Assert.InRange(Timer.ActiveCount, 0, before + 500);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => group.RequestAsync(new Ask(1), timeout: TimeSpan.MaxValue));
    }

    [Fact]
    public async Task An_eviction_ends_a_request_with_its_reason()
    {
        await using var rig = new HostRig();
        QuickSilverNode node = await rig.StartNodeAsync();
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        RequestGroup<Ask, Told> group = await JoinAsync(node, async (_, stop) =>
        {
            asked.TrySetResult();
            await Task.Delay(Timeout.Infinite, stop);
            return new Told(0);
        });
        Task<ReplySet<Told>> waiting = group.RequestAsync(new Ask(1), timeout: NodeRig.Patience);
        await asked.Task.WaitAsync(NodeRig.Patience);
        Trouble.Expel(node);
        await Assert.ThrowsAsync<NodeEvictedException>(() => waiting.WaitAsync(NodeRig.Patience));
    }

    private static Task<RequestGroup<Ask, Told>> JoinAsync(
        QuickSilverNode node, Func<TypedMessage<Ask>, CancellationToken, ValueTask<Told>>? responder) =>
        node.JoinRequestsAsync("questions", SumContext.Default.Ask, SumContext.Default.Told, responder);
}

internal sealed record Ask(int Number);

internal sealed record Told(int Number);

[JsonSerializable(typeof(Ask))]
[JsonSerializable(typeof(Told))]
[JsonSerializable(typeof(List<int>))]
internal sealed partial class SumContext : JsonSerializerContext;
