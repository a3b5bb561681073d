using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Timed.Receiving;
using QuickSilver.Protocol.Timed.Sending;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed;

/// <summary>
/// One timed group at this node: its sessions, its sending half, and one receiver for each sender heard. The sending
/// half ends with the last session; its numbers go on with the next. Core thread only.
/// </summary>
internal sealed class TimedGroup
{
    private readonly TimedContext _context;
    private readonly KeyedSet<ulong, TimedReceiver> _byKey = new(static receiver => receiver.Sender.Number.Key);
    private readonly List<TimedReceiver> _receivers = [];
    private ModeSession? _member;
    private ModeSession? _publisher;
    private GroupSender? _route;
    private TimedNumbers _numbers;

    public TimedGroup(TimedContext context, GroupInfo info, TimedSettings settings)
    {
        _context = context;
        Info = info;
        Settings = settings;
        Partners = new PartnerRepairs(context, this);
    }

    public GroupInfo Info { get; }

    public GroupId Id => Info.Id;

    public TimedSettings Settings { get; private set; }

    /// <summary>The sending half; null before the first message.</summary>
    public TimedSender? Sender { get; private set; }

    /// <summary>Repairs of others' packets.</summary>
    public PartnerRepairs Partners { get; }

    /// <summary>The step with which the member's session began.</summary>
    public StepNumber Began => _member?.Began ?? default;

    /// <summary>True while this node is a member.</summary>
    public bool IsMember => _member is not null;

    /// <summary>True while neither session is open.</summary>
    public bool IsClosed => _member is null && _publisher is null;

    /// <summary>
    /// This node's own region view, where its requests are heard; null when it has none in the group.
    /// </summary>
    public RegionView? OwnView { get; private set; }

    /// <summary>Members of the group in the own region view.</summary>
    public int MembersHere { get; private set; } = 1;

    /// <summary>The senders heard, in the order in which they were first heard.</summary>
    public IReadOnlyList<TimedReceiver> Receivers => _receivers;

    /// <summary>The region views to send to in the active step.</summary>
    public IReadOnlyList<RegionView> ViewsNow(Instant now) => IsClosed ? [] : _route?.ViewsNow(now) ?? [];

    /// <summary>A session begins.</summary>
    public void Open(ModeSession session)
    {
        Debug.Assert(session.Info.Id == Id, "the session is of this group");
        Debug.Assert((session.IsPublisher ? _publisher : _member) is null, "a group has one session of a kind");
        if (session.Settings is TimedSettings settings && Sender is null) Settings = settings;
        if (session.IsPublisher) _publisher = session;
        else _member = session;
    }

    /// <summary>A session has ended.</summary>
    public void Close(ModeSession session)
    {
        Debug.Assert(session == (session.IsPublisher ? _publisher : _member), "the session is open");
        if (session.IsPublisher) _publisher = null;
        else EndReceiving();
        if (!IsClosed || Sender is not { } sender) return;
        // What is kept can go nowhere; the numbers go on when the node comes back.
        _numbers = sender.Numbers;
        sender.Close();
        Sender = null;
        _route = null;
    }

    /// <summary>Finds the own region view in the cluster as installed.</summary>
    public void FindOwnView()
    {
        RegionView? own = _context.Mode.Cluster.Own;
        OwnView = IsMember && own is not null && own.Region.Contains(Id) ? own : null;
        MembersHere = OwnView is null ? 1 : Math.Max(1, OwnView.CountMembers(Id) - 1);
    }

    /// <summary>The sending half, made for the first message.</summary>
    public TimedSender SenderFor(GroupSender route, Instant now)
    {
        _route = route;
        return Sender ??= new TimedSender(_context, this, _numbers, now);
    }

    /// <summary>Finds a sender that was heard.</summary>
    public TimedReceiver? Find(ulong key) => _byKey.TryGet(key, out TimedReceiver? receiver) ? receiver : null;

    /// <summary>Finds a sender, or begins to hear it.</summary>
    public TimedReceiver ReceiverOf(NodeInfo sender)
    {
        Debug.Assert(IsMember && !sender.IsRemoved, "members receive from nodes that are here");
        if (Find(sender.Number.Key) is { } known) return known;
        var receiver = new TimedReceiver(_context, this, sender);
        _byKey.Add(receiver);
        _receivers.Add(receiver);
        return receiver;
    }

    /// <summary>A sender is gone from the cluster.</summary>
    public void OnRemoved(NodeInfo sender, Instant now)
    {
        if (Find(sender.Number.Key) is not { } receiver) return;
        receiver.End(now);
        _byKey.Remove(sender.Number.Key, out _);
        _receivers.Remove(receiver);
        _member?.CloseSender(sender, now);
    }

    /// <summary>Delivers a message.</summary>
    public void Deliver(NodeInfo sender, ulong number, in Slice message, Instant now)
    {
        _context.Counters.Messages++;
        _context.Counters.Bytes += (ulong)message.Length;
        _member?.Deliver(sender, new DeliveryBatch(number, message), now);
    }

    /// <summary>Delivers a message of this node to itself.</summary>
    public void DeliverOwn(OutgoingMessage message, Instant now)
    {
        if (_member is null || message.Step < _member.Began || _context.Mode.Cluster.Self is not { } self) return;
        Slice copy = _context.Joined.Copy(message.Span);
        Deliver(self, message.Number, copy, now);
        copy.Release();
    }

    /// <summary>Reports messages that were not here within their time.</summary>
    public void ReportLoss(NodeInfo sender, ulong first, ulong count, Instant now)
    {
        Debug.Assert(count > 0 && first > 0, "something is lost");
        _context.Counters.Expired += count;
        _member?.ReportLoss(sender, first, count, LossCause.Expired, now);
    }

    /// <summary>Ends everything: the node is gone.</summary>
    public void Shutdown()
    {
        EndReceiving();
        _publisher = null;
        Partners.Close();
        Sender?.Close();
    }

    private void EndReceiving()
    {
        _member = null;
        Partners.Clear();
        foreach (TimedReceiver receiver in _receivers) receiver.Drop();
        _receivers.Clear();
        _byKey.Clear();
    }
}
