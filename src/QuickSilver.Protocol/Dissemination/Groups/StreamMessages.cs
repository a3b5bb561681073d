using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The messages of one stream from their binding to their stability: those that wait to be packed, those that are
/// packed and not known stable, and the gate at which both count as pending.
/// <para>
/// Each message leaves in two steps. When it is packed, the stream no longer needs its bytes, and the stream of this
/// node's own region may deliver it on this node. When it is stable here, it leaves the account; it is stable
/// altogether once it is so in every stream that carries it. A message without a ticket, in this stream alone, is only
/// counted after the first step, so its record need not wait for the second.
/// </para>
/// <para>
/// Cost: O(1) per message and step; allocates only to grow. Core thread only.
/// </para>
/// </summary>
internal sealed class StreamMessages
{
    private readonly SendContext _context;
    private readonly OwnMessages _own;
    private readonly SentMessages _sent = new();
    private readonly ulong[] _introduced;

    /// <summary>Makes an empty account of a stream's messages.</summary>
    /// <param name="own">What the messages of the node share.</param>
    /// <param name="view">The view that the stream goes to.</param>
    /// <param name="predecessorShare">The window's share of the stream before it; 0: none.</param>
    /// <param name="burst">The most packets that leave at once.</param>
    /// <param name="now">The present instant.</param>
    public StreamMessages(OwnMessages own, RegionView view, long predecessorShare, int burst, Instant now)
    {
        _own = own;
        _context = own.Context;
        View = view;
        IsOwn = view.IndexOf(_context.SelfKey) >= 0;
        _introduced = new ulong[(view.Region.Groups.Length + 63) / 64];
        Gate = new StreamGate(_context.Limits);
        Allowance = new SendAllowance(_context, view, predecessorShare, burst, OnUnblocked, now);
        Pull = new PullRequest(_context.Roots);
    }

    /// <summary>The view that the stream goes to.</summary>
    public RegionView View { get; }

    /// <summary>
    /// True when this node is a member of the view: then its messages are delivered here as they are packed.
    /// </summary>
    public bool IsOwn { get; }

    /// <summary>True while a member other than this node is in the cluster.</summary>
    public bool HasOthers { get; set; }

    /// <summary>What window and rate let the stream send.</summary>
    public SendAllowance Allowance { get; }

    /// <summary>Has the root ask the stream's feed.</summary>
    public PullRequest Pull { get; }

    /// <summary>The hybrid groups that send through the stream.</summary>
    public List<HybridWay> Hybrids { get; } = [];

    /// <summary>Messages that are bound and not packed.</summary>
    public RegionBuffer Backlog { get; } = new();

    /// <summary>Counts messages that are bound and not stable.</summary>
    public StreamGate Gate { get; }

    /// <summary>
    /// Members of the view that are removed from the cluster. Tickets of messages that these may lack report how many
    /// there are.
    /// </summary>
    public int RemovedMembers { get; set; }

    /// <summary>Those of them that were in a group.</summary>
    public int CountRemoved(GroupLedger group)
    {
        if (RemovedMembers == 0 || !View.IsMerged) return RemovedMembers;
        int count = 0;
        for (int index = 0; index < View.Members.Length; index++)
        {
            if (View.Members[index].IsRemoved && View.IsMember(index, group.Group.Id)) count++;
        }
        return count;
    }

    /// <summary>
    /// True when a message of a group is not known to be stable here; with a ticket, the ticket's. O(messages pending
    /// here).
    /// </summary>
    public bool Holds(GroupLedger group, SendTicket? ticket) =>
        _sent.Holds(group, ticket) || Backlog.Holds(group, ticket);

    /// <summary>True when there is something to pack, or a source to be asked for it.</summary>
    public bool HasWork => !Backlog.IsEmpty || Backlog.Direct.Count > 0;

    /// <summary>True when a train can be built now.</summary>
    public bool CanBuild => HasWork && !Allowance.IsBlocked;

    /// <summary>
    /// True while everything taken from sources is sent, and nothing more is taken before some of it is stable.
    /// </summary>
    public bool WaitsForStability => Backlog.IsEmpty && !Gate.Account.IsOpen;

    /// <summary>
    /// True while a caller waits until messages sent here are stable: it holds a ticket of one, or flushes.
    /// </summary>
    public bool IsAwaited => _sent.Tickets > 0 || _context.FlushesWaiting > 0;

    /// <summary>
    /// Binds a message here; it was counted in the gate's account before. It leaves when the root next asks.
    /// </summary>
    /// <param name="message">The message.</param>
    /// <param name="groupIndex">Its group's index in the region.</param>
    /// <param name="isShared">True when other streams carry it too: then the stream could not have asked the source
    /// itself.</param>
    public void Append(OutgoingMessage message, int groupIndex, bool isShared)
    {
        Backlog.Add(new BacklogEntry(message, groupIndex, Introduce(groupIndex), isShared));
        if (isShared) EndDirect();
        OnUnblocked();
    }

    /// <summary>Binds a message of which the beginning has left in a packet for several regions.</summary>
    /// <param name="message">The message.</param>
    /// <param name="groupIndex">Its group's index in the region.</param>
    /// <param name="start">Bytes that have left.</param>
    /// <param name="isFirst">True when it is its group's first in the stream.</param>
    public void AppendRest(OutgoingMessage message, int groupIndex, int start, bool isFirst)
    {
        Backlog.Add(new BacklogEntry(message, groupIndex, isFirst, IsShared: true, start));
        EndDirect();
        OnUnblocked();
    }

    /// <summary>
    /// Adds a lane whose sources are asked for as much as packets have room for, in turn with other lanes'.
    /// </summary>
    public void AddDirect(SendLane lane)
    {
        Backlog.Direct.Enqueue(lane);
        OnUnblocked();
    }

    /// <summary>Requests a pull if there may be something to build.</summary>
    public void OnUnblocked()
    {
        foreach (HybridWay hybrid in Hybrids) hybrid.OnUnblocked();
        if (CanBuild) Pull.Request();
    }

    /// <summary>
    /// Ends the writing of groups into packets: lanes of several regions send here as well, and all take turns at the
    /// buffer.
    /// </summary>
    public void EndDirect()
    {
        while (Backlog.Direct.Count > 0)
        {
            _context.Settings.Probes.Reached("a group that wrote into packets takes turns at the buffer again");
            Backlog.Direct.Dequeue().OnDirectEnded();
        }
    }

    /// <summary>True when a group's next message is its first in the stream.</summary>
    public bool IsFirst(int groupIndex) => (_introduced[groupIndex >> 6] & (1UL << (groupIndex & 63))) == 0;

    /// <summary>Records a group's next message.</summary>
    /// <returns>True when it is the first in the stream.</returns>
    public bool Introduce(int groupIndex)
    {
        bool isFirst = IsFirst(groupIndex);
        _introduced[groupIndex >> 6] |= 1UL << (groupIndex & 63);
        return isFirst;
    }

    /// <summary>
    /// Counts messages that a group's sources wrote into a packet. Nobody follows them one by one, and nothing waits
    /// before them.
    /// </summary>
    /// <param name="group">The group.</param>
    /// <param name="batch">The messages, in the packet.</param>
    /// <param name="sequence">The packet.</param>
    /// <param name="now">The present instant.</param>
    public void OnWritten(GroupSender group, in DeliveryBatch batch, ulong sequence, Instant now)
    {
        Packed += (uint)batch.Count;
        _sent.Count(group, group.OnWritten(batch), batch.Count, batch.TotalLength, sequence);
        // Where this stream does not carry them to this node, no other does.
        _own.Batch.Add(group, _context.ActiveStep, batch, now);
    }

    /// <summary>Handles a message that has left the backlog, and whose last byte is in a packet.</summary>
    /// <param name="message">The message.</param>
    /// <param name="inPacket">The packet's copy when it is in one piece; else empty.</param>
    /// <param name="sequence">The packet.</param>
    /// <param name="now">The present instant.</param>
    public void OnPacked(OutgoingMessage message, in Slice inPacket, ulong sequence, Instant now)
    {
        Packed++;
        if (message.Ticket is not null || message.Unstable > 1)
        {
            _sent.Add(message, sequence);
            ReleaseFrom(message, inPacket, now);
            return;
        }
        _sent.Count(message, sequence);
        ReleaseFrom(message, inPacket, now);
        message.Unstable = 0;
        GroupLedger.OnCounted(_own, message);
    }

    /// <summary>Delivers the own messages of a packet that is closed.</summary>
    public void OnPacketClosed(Instant now) => _own.Batch.Flush(now);

    /// <summary>Messages packed since <see cref="TakePacked"/> was called last.</summary>
    public uint Packed { get; private set; }

    /// <summary>Takes the number of messages that were packed since the last call.</summary>
    public uint TakePacked()
    {
        uint packed = Packed;
        Packed = 0;
        return packed;
    }

    /// <summary>Settles all messages of packets up to a sequence, which are stable.</summary>
    public void SettleThrough(ulong sequence, Instant now)
    {
        int messages = 0;
        long bytes = 0;
        while (_sent.TryTake(sequence, out SentBatch batch))
        {
            messages += batch.Count;
            bytes += batch.Bytes;
            if (batch.Message is not null) Settle(batch.Message, now);
            else batch.Group.OnStable(_own, batch, now);
        }
        if (messages == 0) return;
        Gate.Account.Remove(messages, bytes);
    }

    /// <summary>
    /// Drops the messages that are not packed, as if they were stable: nobody is there to receive them. Own delivery
    /// takes place.
    /// </summary>
    public void DropBacklog(Instant now)
    {
        int messages = 0;
        long bytes = 0;
        while (!Backlog.IsEmpty)
        {
            OutgoingMessage message = Backlog.First.Message;
            Backlog.RemoveFirst();
            messages++;
            bytes += message.Length;
            ReleaseFrom(message, default, now);
            Settle(message, now);
        }
        if (messages > 0) Gate.Account.Remove(messages, bytes);
    }

    /// <summary>
    /// Counts a message that is in no buffer here as sent and stable: nobody is there to receive it.
    /// </summary>
    public void DropUnsent(OutgoingMessage message, Instant now)
    {
        int length = message.Length;
        ReleaseFrom(message, default, now);
        Settle(message, now);
        Gate.Account.Remove(1, length);
    }

    // This stream does not need the message's bytes any longer.
    private void ReleaseFrom(OutgoingMessage message, in Slice inPacket, Instant now)
    {
        if (IsOwn) message.Group.OnOwnCopyPacked(_own, message, inPacket, now);
        if (--message.Unpacked == 0) message.ReleaseBytes();
    }

    private void Settle(OutgoingMessage message, Instant now)
    {
        message.Removed += CountRemoved(message.Group);
        if (--message.Unstable == 0) message.Group.OnStable(_own, message, now);
    }
}
