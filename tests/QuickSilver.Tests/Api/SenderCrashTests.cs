using System.Collections.Concurrent;
using QuickSilver.Diagnostics;
using QuickSilver.Testing;

namespace QuickSilver.Tests.Api;

/// <summary>What receivers see when a sender dies with messages that nobody else holds.</summary>
[Collection(NodeCollection.Name)]
public sealed class SenderCrashTests
{
    private const int Rounds = 8;

    [Fact]
    public async Task What_died_with_its_sender_is_told_in_its_place_and_every_number_is_accounted_for()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Quick);
        QuickSilverNode receiver = await rig.StartAsync(static options =>
        {
            Trouble.Quick(options);
            options.UseFaults(0.3, 7);
        });
        var reports = new ConcurrentQueue<LossReported>();
        receiver.Events += (_, happened) =>
        {
            if (happened is LossReported report) reports.Enqueue(report);
        };
        Group hearing = await receiver.JoinAsync("group");
        using var stop = new CancellationTokenSource();
        var log = new Log();
        Task reading = Task.Run(() => log.ReadAsync(hearing, stop.Token));
        for (int round = 0; round < Rounds && log.Losses == 0; round++)
        {
            QuickSilverNode sender = await rig.StartAsync(Trouble.Quick);
            Group speaking = await sender.JoinAsync("group", new GroupOptions { BufferBeforeFirstRead = false });
            await speaking.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
            Task sending = Task.Run(async () =>
            {
                while (true) await speaking.SendAsync(new byte[1_200]);
            });
            await Task.Delay(30);
            await Trouble.CrashAsync(sender);
            await Assert.ThrowsAsync<QuickSilverException>(() => sending);
            await NodeRig.UntilAsync(() => hearing.View.MemberCount == 1, "the dead sender is removed");
            await Task.Delay(300);
        }
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.WaitAsync(NodeRig.Patience));
        Assert.Null(log.Fault);
        Assert.True(log.Losses > 0, "nothing died with any sender: the injector does nothing");
        await NodeRig.UntilAsync(() => receiver.GetStatistics().MessagesLost > 0, "losses are told");
        await NodeRig.UntilAsync(
            () => reports.Any(static report => report is { GroupName: "group", Reason: LossReason.SenderFailed }),
            "losses are reported");
        await using Group again = await (await rig.StartAsync(Trouble.Quick)).JoinAsync("group");
        Assert.Equal(2, (await again.SendConfirmedAsync("life goes on").WaitAsync(NodeRig.Patience)).Confirmed);
    }

    private sealed class Log
    {
        private readonly Dictionary<MemberId, ulong> _next = [];
        private readonly HashSet<MemberId> _hasUnknownStart = [];
        private int _losses;

        public int Losses => Volatile.Read(ref _losses);

        public string? Fault { get; private set; }

        public async Task ReadAsync(Group group, CancellationToken ct)
        {
            await foreach (GroupEvent happened in group.ReadEventsAsync(ct))
            {
                switch (happened)
                {
                    case MessageReceived { Message: var message }:
                        if (!_hasUnknownStart.Remove(message.Sender))
                            Expect(message.Sender, message.Sequence, "a message");
                        _next[message.Sender] = message.Sequence + 1;
                        break;
                    case MessagesLost loss:
                        if (loss is not { First: 0, Count: 0 }) Expect(loss.Sender, loss.First, "a loss");
                        else if (_next.ContainsKey(loss.Sender) || !_hasUnknownStart.Add(loss.Sender))
                            Fault ??= $"{loss} after others of the sender";
                        else break;
                        _next[loss.Sender] = loss.Count == 0 ? ulong.MaxValue : loss.First + loss.Count;
                        if (loss.Reason != LossReason.SenderFailed) Fault ??= $"{loss}";
                        Interlocked.Increment(ref _losses);
                        break;
                }
            }
        }

        private void Expect(MemberId sender, ulong number, string what)
        {
            ulong next = _next.GetValueOrDefault(sender, 1UL);
            if (number != next) Fault ??= $"{what} {number} of {sender} came when {next} was next";
        }
    }
}
