namespace QuickSilver.Tests.Docs;

/// <summary>The code of docs/failures.md: it compiles here, runs in the tests beside, and the page is held to it.</summary>
internal static class FailureSnippets
{
    public static void Watch(QuickSilverNode node, Action<string> tell)
    {
        node.Events += (_, happened) =>
        {
            switch (happened)
            {
                case NodeStateChanged state:
                    tell($"{state.Before} -> {state.After}: {state.Reason}");
                    break;
                case NodeRejoined back:
                    tell($"back as {back.After}: groups have to be joined again");
                    break;
                case GroupEnded ended:
                    tell($"{ended.GroupName} has ended: {ended.Reason.Message}");
                    break;
                case LossReported loss:
                    tell($"{loss.GroupName} lost messages of {loss.Sender}: {loss.Reason}");
                    break;
                case CoreStalled stall:
                    tell($"{stall.Phase} {stall.GroupName} held the core thread up for {stall.Duration}");
                    break;
            }
        };
    }

    public static async Task ConfirmAsync(Group group, byte[] payload, Action<string> tell, CancellationToken ct)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(ct);
        limit.CancelAfter(TimeSpan.FromSeconds(1));
        try
        {
            DeliveryReport report = await group.SendConfirmedAsync(payload, limit.Token);
            tell($"{report.Confirmed} members hold it, {report.Removed} were removed before they were known to");
        }
        catch (OperationCanceledException cancelled) when (!ct.IsCancellationRequested)
        {
            tell(cancelled.Message); // names the members that it waited for; the message is sent all the same
        }
        catch (NodeEvictedException evicted)
        {
            tell($"{evicted.MessagesInDoubt} messages may or may not have reached the others");
        }
    }

    public static async Task AccountAsync(Group group, Action<string> tell, CancellationToken ct)
    {
        await foreach (GroupEvent happened in group.ReadEventsAsync(ct))
        {
            switch (happened)
            {
                case MessageReceived { Message: var message }:
                    tell($"{message.SenderName} {message.Sequence}: {message.GetString()}");
                    break;
                case MessagesLost { Count: 0 } loss: // the sender died with what nobody else holds
                    tell($"messages of {loss.Sender} will not come, nobody knows how many: {loss.Reason}");
                    break;
                case MessagesLost loss:
                    tell($"{loss.Count} messages of {loss.Sender} from {loss.First} on will not come: {loss.Reason}");
                    break;
                case ViewChanged view:
                    foreach (Member gone in view.GetLeft()) tell($"{gone.Name} has gone");
                    break;
            }
        }
    }

    public static async Task FollowAsync(QuickSilverNode node, string name, Action<Message> handle, CancellationToken ct)
    {
        while (!ct.IsCancellationRequested)
        {
            try
            {
                await using Group group = await node.JoinAsync(name, cancellationToken: ct);
                await foreach (Message message in group.ReadAllAsync(ct)) handle(message);
                return; // the group was left, or the node disposed of
            }
            catch (NodeEvictedException) when (!node.Completion.IsCompleted)
            {
                continue; // the node returns by itself, under a new Id
            }
            catch (SlowConsumerException)
            {
                continue; // what was stored has been read; messages were missed between
            }
            catch (QuickSilverException late) when (late.Code == ErrorCode.JoinTimedOut)
            {
                await Task.Delay(TimeSpan.FromSeconds(1), ct); // late.Message names the nodes the join waited for
            }
        }
    }

    public static async Task ForgetAsync(QuickSilverNode host)
    {
        int forgotten = await host.ForgetMemberAsync("orders-3"); // the name from the log, without the address
        _ = forgotten;
    }

    public static Task<Group> JoinStateAsync(QuickSilverNode node, CancellationToken ct)
    {
        var options = new GroupOptions
        {
            Overflow = OverflowPolicy.DropOldest,
            Key = static (in MessageRef message) => BitConverter.ToUInt64(message.Payload), // core thread: pure and short
        };
        return node.JoinAsync("instrument state", options, ct);
    }
}
