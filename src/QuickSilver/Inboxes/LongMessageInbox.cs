using System.Threading.Channels;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The long messages of one handle: those that nobody has taken, and those that are being read. Made by the first
/// reader, or at the first long message if the handle keeps them. Long messages begin on the core thread; everything
/// else is for any thread.
/// </summary>
/// <param name="owner">The handle.</param>
/// <param name="maxUnread">Limit on the unread bytes of one long message.</param>
/// <param name="budget">The limit of the node.</param>
internal sealed class LongMessageInbox(IInboxOwner owner, long maxUnread, LongMessageBudget budget)
{
    /// <summary>Limit on long messages that nobody has taken.</summary>
    public const int MaxWaiting = 1024;

    private readonly Channel<LongMessage> _waiting = Channel.CreateUnbounded<LongMessage>();
    private readonly Lock _lock = new();
    private readonly HashSet<LongMessageBody> _bodies = [];
    private bool _hasEnded;

    /// <summary>The handle.</summary>
    public IInboxOwner Owner => owner;

    /// <summary>Limit on the unread bytes of one long message.</summary>
    public long MaxUnread => maxUnread;

    /// <summary>The limit of the node.</summary>
    public LongMessageBudget Budget => budget;

    /// <summary>The long messages that nobody has taken, in the order in which they began.</summary>
    public ChannelReader<LongMessage> Waiting => _waiting.Reader;

    /// <summary>Begins a long message. Core thread only.</summary>
    /// <returns>Null when too many wait, or the handle has ended.</returns>
    public ILongMessageSink? Begin(NodeInfo sender, ulong number)
    {
        if (_waiting.Reader.Count >= MaxWaiting)
        {
            owner.OnDropped(sender, LossReason.Overflow);
            return null;
        }
        var body = new LongMessageBody(this, sender);
        lock (_lock)
        {
            if (_hasEnded) return null;
            _bodies.Add(body);
        }
        budget.Add(body);
        _waiting.Writer.TryWrite(new LongMessage(owner, sender, number, body));
        return body.Sink;
    }

    /// <summary>Forgets a long message that holds nothing any more.</summary>
    public void Forget(LongMessageBody body)
    {
        lock (_lock) _bodies.Remove(body);
        budget.Remove(body);
    }

    /// <summary>Ends with the handle: long messages that are not complete fail, the others stay readable.</summary>
    /// <param name="reason">The reason of the handle's end; null when it was left.</param>
    /// <param name="failure">What readers of incomplete messages get.</param>
    public void End(Exception? reason, Exception failure)
    {
        LongMessageBody[] bodies;
        lock (_lock)
        {
            if (_hasEnded) return;
            _hasEnded = true;
            bodies = [.. _bodies];
            _bodies.Clear();
        }
        foreach (LongMessageBody body in bodies)
        {
            body.Fail(failure);
            body.LetGo();
        }
        _waiting.Writer.TryComplete(reason);
    }
}
