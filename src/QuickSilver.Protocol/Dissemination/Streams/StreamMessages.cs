using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// The messages of one stream from their binding to their stability: what waits to be packed, what is packed and not known stable, and the gate at
/// which both count as pending.
/// <para>
/// Each message leaves in two steps. When it is packed, the stream needs its bytes no more; the stream that carries it home may deliver it on this
/// node. When it is stable here, it leaves the account; it is stable altogether once it is so in every stream that carries it. A message without a
/// ticket, in this stream alone, is only counted after the first step, so its record need not wait for the second.
/// </para>
/// Cost: O(1) per message and step; allocates only to grow. Core thread only.
/// </summary>
internal sealed class StreamMessages
{
    private readonly SendContext _context;
    private readonly SentMessages _sent = new();
    private readonly ulong[] _introduced;
    private readonly bool _isOwn;

    /// <summary>Nothing is bound yet.</summary>
    /// <param name="context">The node's.</param>
    /// <param name="view">The view that the stream goes to.</param>
    /// <param name="isOwn">True when this node is a member of the view.</param>
    public StreamMessages(SendContext context, RegionView view, bool isOwn)
    {
        _context = context;
        _isOwn = isOwn;
        _introduced = new ulong[(view.Region.Groups.Length + 63) / 64];
        Gate = new StreamGate(context.Limits);
    }

    /// <summary>What is bound and not packed.</summary>
    public RegionBuffer Backlog { get; } = new();

    /// <summary>Counts what is bound and not stable.</summary>
    public StreamGate Gate { get; }

    /// <summary>Members of the view that are removed from the cluster: who sent what they may lack is told how many.</summary>
    public int RemovedMembers { get; set; }

    /// <summary>True while a message that is packed and not known stable has a ticket.</summary>
    public bool HasTickets => _sent.Tickets > 0;

    /// <summary>True when a message of a group is not known to be stable here; with a ticket, the ticket's. O(messages pending here).</summary>
    public bool Holds(GroupSender group, SendTicket? ticket) => _sent.Holds(group, ticket) || Backlog.Holds(group, ticket);

    /// <summary>Binds a message here; it was counted in the gate's account before.</summary>
    public void Append(OutgoingMessage message, int groupIndex, bool isShared) =>
        Backlog.Add(new BacklogEntry(message, groupIndex, Introduce(groupIndex), isShared));

    /// <summary>True when a group's next message is its first in the stream.</summary>
    public bool IsFirst(int groupIndex) => (_introduced[groupIndex >> 6] & (1UL << (groupIndex & 63))) == 0;

    /// <summary>A group's next message has come.</summary>
    /// <returns>True when it is the first in the stream.</returns>
    public bool Introduce(int groupIndex)
    {
        bool isFirst = IsFirst(groupIndex);
        _introduced[groupIndex >> 6] |= 1UL << (groupIndex & 63);
        return isFirst;
    }

    /// <summary>Messages that a group's sources wrote are in a packet. Nobody asks about them one by one, and nothing waits before them.</summary>
    /// <param name="group">The group.</param>
    /// <param name="run">Where they are in the packet.</param>
    /// <param name="sequence">The packet.</param>
    /// <param name="now">The present instant.</param>
    public void OnWritten(GroupSender group, in DeliveryBatch run, ulong sequence, Instant now)
    {
        Packed += (uint)run.Count;
        _sent.Count(group, group.OnWritten(run), run.Count, run.TotalLength, sequence);
        // Where this stream does not carry them home, no other does.
        _context.Own.Add(group, _context.ActiveStep, run, now);
    }

    /// <summary>The last byte of a message, which has left the backlog, is in a packet.</summary>
    /// <param name="message">The message.</param>
    /// <param name="inPacket">Where the packet holds it in one piece; empty when it does not.</param>
    /// <param name="sequence">The packet.</param>
    /// <param name="now">The present instant.</param>
    public void OnPacked(OutgoingMessage message, in Slice inPacket, ulong sequence, Instant now)
    {
        Packed++;
        if (message.Ticket is not null || message.Unstable > 1)
        {
            _sent.Add(message, sequence);
            LetGoOf(message, inPacket, now);
            return;
        }
        _sent.Count(message, sequence);
        LetGoOf(message, inPacket, now);
        message.Unstable = 0;
        message.Group.Unfinished.OnCounted(message);
    }

    /// <summary>A packet is closed: the own messages in it go to their delivery here.</summary>
    public void OnPacketClosed(Instant now) => _context.Own.Flush(now);

    /// <summary>Messages packed since they were taken last.</summary>
    public uint Packed { get; private set; }

    /// <summary>How many messages were packed since the last call.</summary>
    public uint TakePacked()
    {
        uint packed = Packed;
        Packed = 0;
        return packed;
    }

    /// <summary>Every packet up to a sequence is stable.</summary>
    public void SettleThrough(ulong sequence, Instant now)
    {
        int messages = 0;
        long bytes = 0;
        while (_sent.TryTake(sequence, out SentBatch run))
        {
            messages += run.Count;
            bytes += run.Bytes;
            if (run.Message is not null) Settle(run.Message, now);
            else run.Group.Unfinished.OnStable(run, now);
        }
        if (messages == 0) return;
        Gate.Account.Remove(messages, bytes);
    }

    /// <summary>Drops what is not packed, as if it were stable: nobody is there to receive it. Own delivery takes place.</summary>
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
            LetGoOf(message, default, now);
            Settle(message, now);
        }
        if (messages > 0) Gate.Account.Remove(messages, bytes);
    }

    // This stream needs the message's bytes no more.
    private void LetGoOf(OutgoingMessage message, in Slice inPacket, Instant now)
    {
        if (_isOwn) message.Group.Unfinished.OnOwnCopyPacked(message, inPacket, now);
        if (--message.Unpacked == 0) message.ReleaseBytes();
    }

    private void Settle(OutgoingMessage message, Instant now)
    {
        message.Removed += RemovedMembers;
        if (--message.Unstable == 0) message.Group.Unfinished.OnStable(message, now);
    }
}
