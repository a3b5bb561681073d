using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Timed.Receiving;
using QuickSilver.Protocol.Timed.Sending;

namespace QuickSilver.Protocol.Timed.Groups;

/// <summary>
/// One timed group at this node: its sending half, and one receiver for each sender heard. The sending half ends with
/// the last session; its numbers go on with the next. Core thread only.
/// </summary>
internal sealed class TimedGroup : TimedStay
{
    private readonly TimedContext _context;
    private readonly KeyedSet<ulong, TimedReceiver> _byKey = new(static receiver => receiver.Sender.Number.Key);
    private readonly List<TimedReceiver> _receivers = [];
    private TimedNumbers _numbers;

    public TimedGroup(TimedContext context, GroupInfo info, TimedSettings settings)
        : base(context, info, settings)
    {
        _context = context;
        Partners = new PartnerRepairs(context, this);
    }

    /// <summary>The sending half; null before the first message.</summary>
    public TimedSender? Sender { get; private set; }

    /// <summary>Repairs of others' packets.</summary>
    public PartnerRepairs Partners { get; }

    /// <summary>The senders heard, in the order in which they were first heard.</summary>
    public IReadOnlyList<TimedReceiver> Receivers => _receivers;

    /// <summary>A session begins.</summary>
    public void Open(ModeSession session)
    {
        Debug.Assert(session.Info.Id == Id, "the session is of this group");
        Debug.Assert((session.IsPublisher ? Publisher : Member) is null, "a group has one session of a kind");
        if (session.Settings is TimedSettings settings && Sender is null) Settings = settings;
        if (session.IsPublisher) Publisher = session;
        else Member = session;
    }

    /// <summary>A session has ended.</summary>
    public void Close(ModeSession session)
    {
        Debug.Assert(session == (session.IsPublisher ? Publisher : Member), "the session is open");
        if (session.IsPublisher) Publisher = null;
        else EndReceiving();
        if (!IsClosed || Sender is not { } sender) return;
        // What is kept can go nowhere; the numbers go on when the node comes back.
        _numbers = sender.Numbers;
        sender.Close();
        Sender = null;
        Route = null;
    }

    /// <summary>The sending half, made for the first message.</summary>
    public TimedSender SenderFor(GroupSender route, Instant now)
    {
        Route = route;
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
        Member?.CloseSender(sender, now);
    }

    /// <summary>Ends everything: the node is gone.</summary>
    public void Shutdown()
    {
        EndReceiving();
        Publisher = null;
        Partners.Close();
        Sender?.Close();
    }

    private void EndReceiving()
    {
        Member = null;
        Partners.Clear();
        foreach (TimedReceiver receiver in _receivers) receiver.Drop();
        _receivers.Clear();
        _byKey.Clear();
    }
}
