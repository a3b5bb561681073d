using QuickSilver.Inboxes;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Inboxes;

/// <summary>Random worlds: whatever the policy, an event reader can account for every number of every sender, in order,
/// each once.</summary>
public sealed class InboxWorldTests
{
    [Fact]
    public void Every_number_is_told_once_as_a_message_or_as_lost_and_memory_goes_home()
    {
        for (ulong seed = 1; seed <= 300; seed++) Run(seed);
    }

    private static void Run(ulong seed)
    {
        var random = new SeededRandom(seed);
        OverflowPolicy policy = random.NextBelow(2) == 0 ? OverflowPolicy.DropOldest : OverflowPolicy.DropNewest;
        int capacity = 1 + (int)random.NextBelow(20);
        var rig = new InboxRig(capacity, bytes: 1 + (long)random.NextBelow(200), overflow: policy);
        NodeInfo[] senders = [InboxRig.Node("a", 1), InboxRig.Node("b", 2), InboxRig.Node("c", 3)];
        var sent = new Dictionary<NodeInfo, ulong>();
        var told = new Dictionary<NodeInfo, ulong>();
        ulong view = 0;
        ulong viewTold = 0;
        bool hasRead = false;
        string where = $"seed {seed}";

        for (int step = 0; step < 400; step++)
        {
            NodeInfo sender = senders[random.NextBelow(3)];
            switch (random.NextBelow(10))
            {
                case < 5:
                    sent[sender] = sent.GetValueOrDefault(sender) + 1;
                    rig.DeliverOne(sender, new byte[random.NextBelow(30)]);
                    break;
                case 5:
                    rig.Core.Publish();
                    break;
                case 6:
                    ulong count = 1 + random.NextBelow(3);
                    sent[sender] = sent.GetValueOrDefault(sender) + count;
                    rig.Lose(sender, count);
                    break;
                case 7:
                    rig.Core.OnViewChanged(InboxRig.View(++view, senders));
                    break;
                default:
                    Read((int)random.NextBelow(12));
                    hasRead = true;
                    break;
            }
            Assert.True(rig.Core.Messages <= capacity, $"{where}, step {step}: {rig.Core.Messages} of {capacity}");
        }
        rig.Core.Publish();
        Read(int.MaxValue);
        Assert.True(hasRead || told.Count > 0, where);
        foreach (NodeInfo sender in senders)
        {
            Assert.True(
                sent.GetValueOrDefault(sender) == told.GetValueOrDefault(sender), $"{where}: all of {sender.Name}");
        }
        Assert.True(view == viewTold, where);
        Assert.Equal(0, rig.Core.Messages);
        Assert.Equal(0, rig.Core.Bytes);
        rig.CloseArena();
        rig.Shared.Returns.Drain();
        Assert.True(rig.Pool.OutstandingChunks == 0, $"{where}: memory");

        void Read(int most)
        {
            InboxReader reader = rig.Core.BeginRead();
            for (int index = 0; index < most && reader.NextEvent(out InboxEntry entry) == ReadOutcome.Entry; index++)
            {
                switch (entry.Body)
                {
                    case GroupView seen:
                        Assert.True(seen.Number > viewTold, $"{where}: view {seen.Number} after {viewTold}");
                        viewTold = seen.Number;
                        break;
                    case LossNote loss:
                        Assert.True(
                            loss.First == told.GetValueOrDefault(loss.Sender) + 1,
                            $"{where}: loss {loss.First} of {loss.Sender.Name}");
                        told[loss.Sender] = loss.First + loss.Count - 1;
                        break;
                    default:
                        Assert.True(
                            entry.Number == told.GetValueOrDefault(entry.Sender!) + 1,
                            $"{where}: message {entry.Number} of {entry.Sender!.Name}");
                        told[entry.Sender!] = entry.Number;
                        if (random.NextBelow(4) == 0) reader.Lease(entry).Dispose();
                        else reader.OnCopied(entry);
                        break;
                }
            }
            rig.Core.EndRead();
        }
    }
}
