namespace QuickSilver.Tests.Api;

/// <summary>What a program gets that writes an object of the API to its log.</summary>
[Collection(NodeCollection.Name)]
public sealed class TextTests
{
    [Fact]
    public async Task A_message_is_told_by_group_number_sender_and_length_however_it_is_held()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync("greetings");
        var seen = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        using IDisposable handler = right.Subscribe((in message) => seen.TrySetResult(message.ToString()));
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        await left.SendAsync("hello", limit.Token);

        string expected = $"greetings 1 of {left.Node.Name}, 5 bytes";
        Assert.Equal(expected, await seen.Task.WaitAsync(NodeRig.Patience));
        await foreach (Message message in left.ReadAllAsync(limit.Token))
        {
            Assert.Equal(expected, message.ToString());
            Assert.Equal(
                $"MessageReceived {{ Group = greetings at {left.Node.Name}, Message = {expected} }}",
                new MessageReceived(left, message).ToString());
            break;
        }
        await left.SendAsync("again", limit.Token);
        await foreach (MessageLease lease in left.ReadLeasedAsync(limit.Token))
        {
            Assert.Equal($"greetings 2 of {left.Node.Name}, 5 bytes", lease.ToString());
            lease.Dispose();
            Assert.Equal("a lease that has ended", lease.ToString());
            break;
        }
        Assert.Equal("a lease that has ended", default(MessageLease).ToString());
    }

    [Fact]
    public async Task A_node_is_told_by_name_id_and_state()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Assert.Equal($"{node.Name} ({node.Id}, Running)", node.ToString());
    }

    [Fact]
    public void The_end_of_a_group_is_told_without_a_stack_trace()
    {
        var reason = new SlowConsumerException(
            ErrorCode.SlowConsumer, "too slow", new InvalidOperationException("inner"));
        string text = new GroupEnded("news", reason).ToString();
        Assert.EndsWith("GroupName = news, Code = SlowConsumer, Reason = too slow }", text, StringComparison.Ordinal);
    }
}
