using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// The streams of one region view that have begun here, in order, and the rule for which may begin. A stream begins
/// with its sender's first datagram, if the sender is a node of the cluster and not removed. Senders need not be
/// members.
/// Packets come in trains, so the stream found last is tried first; otherwise one look-up. Core thread only.
/// </summary>
internal sealed class RegionStreams(RecoveryContext node, RegionView view, int self)
{
    private const int MaxUndescribed = 4096;

    private readonly HashSet<ulong> _undescribed = [];
    private readonly List<StreamReceiver> _all = [];
    private readonly Dictionary<ulong, StreamReceiver> _bySender = [];
    private StreamReceiver? _last;

    /// <summary>Number of streams that have begun.</summary>
    public int Count => _all.Count;

    /// <summary>True while some stream may still need recovery here.</summary>
    public bool AnyActive
    {
        get
        {
            foreach (StreamReceiver stream in _all)
            {
                if (stream.IsActive) return true;
            }
            return false;
        }
    }

    public List<StreamReceiver>.Enumerator GetEnumerator() => _all.GetEnumerator();

    /// <summary>
    /// Finds a stream by its sender's key. A stream met for the first time begins here, if its sender is known and not
    /// removed.
    /// </summary>
    public StreamReceiver? Find(ulong sender, out RejectReason reason)
    {
        reason = RejectReason.None;
        if (_last is { } last && last.Sender.Number.Key == sender && !last.Sender.IsRemoved) return last;
        if (!_bySender.TryGetValue(sender, out StreamReceiver? stream))
        {
            reason = Check(sender, out NodeInfo? info);
            if (info is null) return null;
            stream = Add(info, own: null);
        }
        if (stream.Sender.IsRemoved)
        {
            node.Probes.Reached(
                stream.Orphan is { IsClosed: true }
                    ? "a packet comes from a removed sender whose stream is closed"
                    : "a packet comes from a removed sender");
            reason = RejectReason.RemovedSender;
            return null;
        }
        _last = stream;
        return stream;
    }

    /// <summary>Finds a stream that a peer names. Includes a removed sender's stream until it is closed.</summary>
    public StreamReceiver? FindForPeer(ulong sender, out RejectReason reason)
    {
        if (_bySender.TryGetValue(sender, out StreamReceiver? stream) && stream.Orphan is { IsClosed: false })
        {
            reason = RejectReason.None;
            return stream;
        }
        return Find(sender, out reason);
    }

    /// <summary>The sender of a stream that has begun or may begin here; null when there is no such node.</summary>
    public NodeInfo? Describe(ulong sender)
    {
        if (_last is { } last && last.Sender.Number.Key == sender) return last.Sender;
        if (_bySender.TryGetValue(sender, out StreamReceiver? stream)) return stream.Sender;
        int index = view.IndexOf(sender);
        return index >= 0 ? view.Members[index] : node.Cluster.FindNode(sender);
    }

    /// <summary>A stream that has begun here; null when it has not.</summary>
    public StreamReceiver? Met(ulong sender) => _bySender.GetValueOrDefault(sender);

    /// <summary>
    /// Begins a stream that was not met before; <paramref name="own"/> is set for this node's own stream.
    /// </summary>
    public StreamReceiver Add(NodeInfo sender, StreamSender? own)
    {
        var stream = new StreamReceiver(view, self, sender, own, node.Probes);
        _all.Add(stream);
        _bySender.Add(sender.Number.Key, stream);
        return stream;
    }

    /// <summary>
    /// A token lists a sender as removed that this node has no description of: nothing of it is accepted. A description
    /// may follow. Packets that the sender has left by then come from peers, or do not count. The bound is the number
    /// of nodes that a cluster may lose while this member is behind: a token may name any number.
    /// </summary>
    public void NoteUndescribed(ulong sender)
    {
        if (_undescribed.Count < MaxUndescribed) _undescribed.Add(sender);
    }

    /// <summary>True for a sender that a token lists as removed, and that this node has no description of.</summary>
    public bool IsUndescribed(ulong sender) => _undescribed.Contains(sender);

    /// <summary>Releases all streams and their packets.</summary>
    public void Close()
    {
        foreach (StreamReceiver stream in _all)
        {
            node.Counters.CachedBytes -= stream.Cache.Bytes;
            stream.Close();
        }
        _all.Clear();
        _bySender.Clear();
    }

    // Decides whether a sender's stream may begin; info is null when it may not.
    private RejectReason Check(ulong sender, out NodeInfo? info)
    {
        info = null;
        int index = view.IndexOf(sender);
        NodeInfo? found = index >= 0 ? view.Members[index] : node.Cluster.FindNode(sender);
        if (_undescribed.Contains(sender)) return RejectReason.RemovedSender;
        if (found is null) return RejectReason.UnknownSender;
        if (index == self) return RejectReason.NeverSent;
        if (found.IsRemoved) return RejectReason.RemovedSender;
        info = found;
        return RejectReason.None;
    }
}
