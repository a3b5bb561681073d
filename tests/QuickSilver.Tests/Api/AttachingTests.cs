using System.Collections.Concurrent;

namespace QuickSilver.Tests.Api;

/// <summary>Handlers and readers are attached on real nodes while messages are under way.</summary>
[Collection(NodeCollection.Name)]
public sealed class AttachingTests
{
    private const int Pending = 1_000;

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_consumer_attached_while_messages_are_pending_misses_nothing_that_is_sent_afterwards(
        bool isOwn, bool isFirst)
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync("pair");
        for (int round = 0; round < 25; round++)
        {
            Group sender = isOwn
                ? await right.Node.JoinAsync($"group {round}") : await left.Node.JoinAsync($"group {round}");
            Group receiver = isOwn ? sender : await right.Node.JoinAsync($"group {round}");
            await sender.WaitForMembersAsync(isOwn ? 1 : 2).WaitAsync(NodeRig.Patience);
            var before = new ConcurrentQueue<int>();
            if (!isFirst) receiver.Subscribe((in MessageRef message) => before.Enqueue(int.Parse(message.GetString())));
            for (int index = 0; index < Pending; index++) await sender.SendAsync($"{index}");
            var seen = new ConcurrentQueue<int>();
            using IDisposable registration = receiver.Subscribe(
                (in MessageRef message) => seen.Enqueue(int.Parse(message.GetString())));
            await sender.SendAsync($"{Pending}");
            await NodeRig.UntilAsync(
                () => before.Count == (isFirst ? 0 : Pending + 1) && seen.Contains(Pending),
                $"round {round} sees the last");
            int[] numbers = [.. seen];
            Assert.Equal(Enumerable.Range(isFirst ? 0 : numbers[0], numbers.Length), numbers);
            Assert.Equal(Pending, numbers[^1]);
            await sender.DisposeAsync();
            if (!isOwn) await receiver.DisposeAsync();
        }
    }

    [Fact]
    public async Task Handlers_and_a_reader_that_come_and_go_under_full_traffic_see_all_of_their_time()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            "group", right: new GroupOptions { OnMessage = static (in MessageRef _) => { } });
        long sent = 0;
        using var stop = new CancellationTokenSource();
        Task sending = Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                await left.SendAsync("x");
                Interlocked.Increment(ref sent);
            }
        });
        Task[] attaching = [.. Enumerable.Range(0, 3).Select(_ => Task.Run(Attach))];
        await Task.WhenAll(attaching);
        await ReadAsync();
        await stop.CancelAsync();
        await sending;

        void Attach()
        {
            for (int round = 0; round < 150; round++)
            {
                ulong first = 0;
                ulong last = 0;
                long bad = 0;
                IDisposable registration = right.Subscribe((in MessageBatch run) =>
                {
                    if (first == 0) first = run.FirstSequence;
                    else if (run.FirstSequence != last + 1) bad++;
                    Volatile.Write(ref last, run.FirstSequence + (ulong)run.Count - 1);
                });
                // Counted after the send has returned: the next may have been sent already.
                ulong next = (ulong)Interlocked.Read(ref sent) + 2;
                SpinWait.SpinUntil(() => Volatile.Read(ref last) >= next, NodeRig.Patience);
                registration.Dispose();
                Assert.Equal(0, bad);
                Assert.InRange(first, 1UL, next);
            }
        }

        async Task ReadAsync()
        {
            using var limit = new CancellationTokenSource(NodeRig.Patience);
            ulong last = 0;
            for (int round = 0; round < 100; round++)
            {
                IAsyncEnumerable<Message> messages = right.ReadAllAsync(limit.Token);
                ulong next = (ulong)Interlocked.Read(ref sent) + 2;
                int count = 0;
                await foreach (Message message in messages)
                {
                    if (last == 0) Assert.InRange(message.Sequence, 1UL, next);
                    else Assert.Equal(last + 1, message.Sequence);
                    last = message.Sequence;
                    if (++count == 50) break;
                }
            }
        }
    }
}
