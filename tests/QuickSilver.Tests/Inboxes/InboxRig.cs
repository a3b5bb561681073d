using System.Text;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Tests.Inboxes;

/// <summary>One inbox with what surrounds it, driven by hand: the test is the core thread.</summary>
internal sealed class InboxRig : IInboxOwner
{
    private readonly Arena _arena;
    private readonly Dictionary<NodeInfo, ulong> _next = [];

    public InboxRig(
        int capacity = 1_000, long bytes = 1 << 20, OverflowPolicy overflow = OverflowPolicy.FailGroup,
        bool hold = true, NodeInboxes? shared = null, bool keyed = false)
    {
        Shared = shared ?? new NodeInboxes(1 << 30, () => Wakes++);
        _arena = new Arena(Pool, BufferOwner.Cache);
        Core = new InboxCore(this, Shared, new InboxLimits(capacity, bytes, overflow, hold, keyed));
    }

    public BufferPool Pool { get; } = new();

    public NodeInboxes Shared { get; }

    public InboxCore Core { get; }

    public List<LossReason> Dropped { get; } = [];

    public long? Overflowed { get; private set; }

    public long OverflowedLeases { get; private set; }

    public int Wakes { get; private set; }

    public static NodeInfo Node(string name, uint counter = 1)
    {
        var control = new NetEndpoint(0x7F000001, (ushort)(15_000 + counter));
        return new NodeInfo(
            new NodeNumber(new Epoch(1, 1), counter), name, 7, control, new NetEndpoint(0x7F000001, 16_000), 0);
    }

    public static GroupView View(ulong number, params NodeInfo[] members)
    {
        var epoch = new Epoch(1, 1);
        var region = new RegionInfo(new RegionId(epoch, 1), [new GroupId(epoch, 1)]);
        var step = new StepNumber(epoch, number);
        var view = new Protocol.Membership.RegionView(
            new ViewNumber(epoch, (uint)number), region, step, members, default, 5);
        return new GroupView("group", region.Groups[0], step, GroupMode.Reliable, [view], inMemory: false);
    }

    string IInboxOwner.Name => "group";

    object IInboxOwner.Facade => throw new InvalidOperationException("The rig has no handle.");

    /// <summary>The key of a message: its first byte.</summary>
    ulong? IInboxOwner.ReadKey(in DeliveredMessage message) => message.Payload.Span[0];

    void IInboxOwner.OnDropped(NodeInfo sender, LossReason reason) => Dropped.Add(reason);

    void IInboxOwner.OnOverflow(long backlog, long bytes, long leasedBytes) =>
        (Overflowed, OverflowedLeases) = (backlog, leasedBytes);

    /// <summary>Delivers messages with the next numbers of a sender, and publishes them.</summary>
    public void Deliver(NodeInfo sender, params string[] texts)
    {
        foreach (string text in texts) DeliverOne(sender, Encoding.UTF8.GetBytes(text));
        Core.Publish();
    }

    public void DeliverOne(NodeInfo sender, byte[] bytes)
    {
        ulong number = _next[sender] = _next.GetValueOrDefault(sender) + 1;
        Slice slice = _arena.Copy(bytes);
        Core.OnMessages(sender, new DeliveryBatch(number, slice));
        slice.Release();
    }

    /// <summary>Takes numbers that will never come.</summary>
    public void Lose(NodeInfo sender, ulong count)
    {
        ulong first = _next.GetValueOrDefault(sender) + 1;
        _next[sender] = first + count - 1;
        Core.OnLoss(sender, first, count, LossReason.SenderFailed);
        Core.Publish();
    }

    /// <summary>Has every chunk that is not held by the inbox go home.</summary>
    public void CloseArena() => _arena.Close();

    public void NewChunk() => _arena.StartChunk();

    /// <summary>Reads messages until there is none, and tells them as text.</summary>
    public List<string> ReadMessages(int most = int.MaxValue)
    {
        InboxReader reader = Core.BeginRead();
        var read = new List<string>();
        while (read.Count < most && reader.NextMessage(out InboxEntry entry) == ReadOutcome.Entry)
        {
            read.Add(Encoding.UTF8.GetString(entry.Span));
            reader.OnCopied(entry);
        }
        Core.EndRead();
        return read;
    }

    /// <summary>Reads events until there is none, and tells them as text: "text", "view 3", "lost a 2+3
    /// Overflow".</summary>
    public List<string> ReadEvents(int most = int.MaxValue)
    {
        InboxReader reader = Core.BeginRead();
        var read = new List<string>();
        while (read.Count < most && reader.NextEvent(out InboxEntry entry) == ReadOutcome.Entry)
        {
            switch (entry.Body)
            {
                case GroupView view:
                    read.Add($"view {reader.OnReported(entry)?.Number.ToString() ?? "-"}>{view.Number}");
                    break;
                case LossNote loss:
                    read.Add($"lost {loss.Sender.Name} {loss.First}+{loss.Count} {loss.Reason}");
                    break;
                default:
                    read.Add(Encoding.UTF8.GetString(entry.Span));
                    reader.OnCopied(entry);
                    break;
            }
        }
        Core.EndRead();
        return read;
    }
}
