using System.Threading.Channels;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>The long messages of the handle: those that it reads, and the writers of those that it sends.</summary>
internal sealed partial class GroupHandle
{
    /// <summary>The long messages that nobody has taken. Any thread. Long messages that begin after the first call are
    /// kept.</summary>
    public ChannelReader<LongMessage> OpenLongInbox()
    {
        if (LongInbox is { } present) return present.Waiting;
        var made = new LongMessageInbox(this, Settings.LongMessageMaxUnreadBytes, Services.LongMessages);
        LongMessageInbox inbox = Interlocked.CompareExchange(ref Rare.LongInbox, made, null) ?? made;
        // A thread that makes the inbox sees the mark, or the end sees the inbox.
        if (FinalMark is { } end) inbox.End(end.Reason, EndException());
        return inbox.Waiting;
    }

    /// <summary>Begins a long message. Core thread only.</summary>
    /// <returns>Null when nobody wants it; that is counted.</returns>
    public ILongMessageSink? BeginLongMessage(NodeInfo sender, ulong number)
    {
        Services.CheckCoreThread();
        if (LongInbox is null)
        {
            if (!Settings.KeepLongMessages)
            {
                Core?.OnDropped(sender, LossReason.Unread);
                return null;
            }
            OpenLongInbox();
        }
        return LongInbox!.Begin(sender, number);
    }

    /// <summary>Adds a writer that begins. Any thread.</summary>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.TooManyLongMessages"/>.</exception>
    public void Add(LongMessageWriter writer)
    {
        Rarities rare = Rare;
        HashSet<LongMessageWriter> writers =
            rare.Writers ?? Interlocked.CompareExchange(ref rare.Writers, [], null) ?? rare.Writers!;
        lock (writers)
        {
            if (!writers.Add(writer) || Core!.TryOpenWriter()) return;
            writers.Remove(writer);
        }
        throw new QuickSilverException(
            ErrorCode.TooManyLongMessages,
            $"This node has {LongMessages.MaxOpenPerHandle} long messages under way in '{Name}', and that is the "
            + "limit. Complete writers that are no longer used, or wait for others to end; nothing was sent.");
    }

    /// <summary>Removes a writer that is completed. Any thread.</summary>
    public void Remove(LongMessageWriter writer)
    {
        if (Writers is not { } writers) return;
        bool isRemoved;
        lock (writers) isRemoved = writers.Remove(writer);
        if (isRemoved) Core!.OnWriterClosed();
    }

    // After the mark of the inbox's end, which a thread that makes an inbox looks at.
    private void EndLongInbox(Exception? reason)
    {
        if (LongInbox is not { } inbox) return;
        TryEnd(reason);
        inbox.End(reason, EndException());
    }

    /// <summary>Gives up the long messages that are not completed: the handle ends. Core thread only.</summary>
    public void GiveUpWriters()
    {
        Services.CheckCoreThread();
        if (Writers is not { } writers || Core is not { } core) return;
        LongMessageWriter[] open;
        lock (writers)
        {
            open = [.. writers];
            writers.Clear();
        }
        foreach (LongMessageWriter writer in open)
        {
            writer.GiveUpFromCore(core);
            core.OnWriterClosed();
        }
    }

    private LongMessageInbox? LongInbox =>
        Volatile.Read(ref _rare) is { } rare ? Volatile.Read(ref rare.LongInbox) : null;

    private HashSet<LongMessageWriter>? Writers =>
        Volatile.Read(ref _rare) is { } rare ? Volatile.Read(ref rare.Writers) : null;
}
