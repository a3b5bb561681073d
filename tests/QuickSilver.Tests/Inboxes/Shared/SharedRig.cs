using System.Runtime.CompilerServices;
using System.Text;
using QuickSilver.Inboxes;
using QuickSilver.Inboxes.Shared;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Inboxes.Shared;

/// <summary>One shared inbox with what surrounds it, driven by hand: the test is the core thread.</summary>
internal sealed class SharedRig
{
    private readonly Arena _arena;
    private readonly Dictionary<(PartRig Group, NodeInfo Sender), ulong> _next = [];

    public SharedRig(int messages = 1_000, long bytes = 1 << 20, long nodeBytes = 1 << 30)
    {
        Node = new NodeInboxes(nodeBytes, static () => { });
        _arena = new Arena(Pool, BufferOwner.Cache);
        Core = new SharedInbox(Node, messages, bytes);
        Node.Add(Core);
    }

    public BufferPool Pool { get; } = new();
    public NodeInboxes Node { get; }
    public SharedInbox Core { get; }

    public PartRig Join(
        string name, OverflowPolicy overflow = OverflowPolicy.FailGroup, int messages = 1_000, long bytes = 1 << 20,
        bool hold = true, bool keyed = false) =>
        new(this, name, new InboxLimits(messages, bytes, overflow, hold, keyed));

    public void Deliver(PartRig group, NodeInfo sender, params string[] texts)
    {
        foreach (string text in texts) DeliverOne(group, sender, Encoding.UTF8.GetBytes(text));
        Node.PublishShared();
    }

    public ulong DeliverOne(PartRig group, NodeInfo sender, byte[] bytes)
    {
        ulong number = _next[(group, sender)] = _next.GetValueOrDefault((group, sender)) + 1;
        Slice slice = _arena.Copy(bytes);
        group.Part.OnMessages(sender, new DeliveryBatch(number, slice));
        slice.Release();
        return number;
    }

    /// <summary>Takes numbers that will never come.</summary>
    /// <returns>The first of them.</returns>
    public ulong Lose(PartRig group, NodeInfo sender, ulong count)
    {
        ulong first = _next.GetValueOrDefault((group, sender)) + 1;
        _next[(group, sender)] = first + count - 1;
        group.Part.OnLoss(sender, first, count, LossReason.SenderFailed);
        return first;
    }

    public void CloseArena() => _arena.Close();

    public void NewChunk() => _arena.StartChunk();

    /// <summary>Messages that the reader has taken in a batch and not returned.</summary>
    public static int InHand(SharedReader reader)
    {
        int count = 0;
        for (int index = Next(reader); index < Count(reader); index++)
        {
            if (Batch(reader)[index].IsMessage) count++;
        }
        return count;
    }

    /// <summary>Reads until there is nothing, and tells it as text: "group: text", "group: view 3", "group: lost a 2+3
    /// Overflow", "group: end Exception".</summary>
    public List<string> ReadEvents(int most = int.MaxValue) => Read(most, events: true);

    /// <summary>Reads messages until there is none, and tells them as text: "group: text".</summary>
    public List<string> ReadMessages(int most = int.MaxValue) => Read(most, events: false);

    private List<string> Read(int most, bool events)
    {
        SharedReader reader = Core.BeginRead();
        var read = new List<string>();
        while (read.Count < most)
        {
            ReadOutcome outcome = events ? reader.NextEvent(out SharedEntry entry) : reader.NextMessage(out entry);
            if (outcome != ReadOutcome.Entry) break;
            string told = entry.Entry.Body switch
            {
                GroupView view => $"view {reader.OnReported(entry)?.Number.ToString() ?? "-"}>{view.Number}",
                LossNote loss => $"lost {loss.Sender.Name} {loss.First}+{loss.Count} {loss.Reason}",
                EndMark end => $"end {end.Reason?.GetType().Name}",
                _ => Encoding.UTF8.GetString(entry.Entry.Span),
            };
            read.Add($"{entry.Part.Owner.Name}: {told}");
            if (entry.IsMessage) reader.OnCopied(entry);
        }
        Core.EndRead();
        return read;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_next")]
    private static extern ref int Next(SharedReader reader);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_count")]
    private static extern ref int Count(SharedReader reader);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_batch")]
    private static extern ref SharedEntry[] Batch(SharedReader reader);

    /// <summary>One group of the inbox.</summary>
    internal sealed class PartRig : IInboxOwner
    {
        private ulong _view;

        public PartRig(SharedRig rig, string name, InboxLimits limits)
        {
            Name = name;
            Limits = limits;
            Part = rig.Core.CreatePart(this, limits);
        }

        public string Name { get; }
        public InboxLimits Limits { get; }
        public SharedPart Part { get; }
        public List<LossReason> Dropped { get; } = [];
        public (long Backlog, long Bytes, long Leased)? Overflowed { get; private set; }
        object IInboxOwner.Facade => throw new InvalidOperationException("The rig has no handle.");

        public ulong ChangeView(params NodeInfo[] members)
        {
            Part.OnViewChanged(InboxRig.View(++_view, members));
            return _view;
        }

        /// <summary>The key of a message: its first byte.</summary>
        ulong? IInboxOwner.ReadKey(in DeliveredMessage message) => message.Payload.Span[0];

        void IInboxOwner.OnDropped(NodeInfo sender, LossReason reason) => Dropped.Add(reason);

        void IInboxOwner.OnOverflow(long backlog, long bytes, long leasedBytes) =>
            Overflowed = (backlog, bytes, leasedBytes);
    }
}
