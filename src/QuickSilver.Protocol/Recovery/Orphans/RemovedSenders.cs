using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Recovery.Orphans;

/// <summary>
/// The senders of one region view that are known to be removed, and their streams. A sender is kept from the time its
/// removal is learned until its stream is closed and the rest of the node is notified. <see cref="OrphanVisit"/>
/// settles the streams on the ring. Core thread only.
/// <para>
/// Awkward cases: a token may list a sender as removed that this node has no description of. Then nothing of it is
/// accepted, and nothing is closed. A stream that was closed on the report of peers is reported again when the server
/// confirms the removal.
/// </para>
/// </summary>
internal sealed class RemovedSenders
{
    private readonly RecoveryContext _node;
    private readonly RegionState _region;
    private readonly List<NodeInfo> _closed = [];
    private readonly Alarm _closing;
    private readonly Action<Instant> _needsRound;
    private readonly Action<NodeInfo, Instant> _streamClosed;

    /// <summary>Begins with no removed sender.</summary>
    /// <param name="node">The node's recovery.</param>
    /// <param name="region">The view.</param>
    /// <param name="needsRound">Called when a stream is to be settled by a round at once.</param>
    /// <param name="streamClosed">Called when a stream is closed, and the rest of the node has been notified.</param>
    public RemovedSenders(
        RecoveryContext node,
        RegionState region,
        Action<Instant> needsRound,
        Action<NodeInfo, Instant> streamClosed)
    {
        _node = node;
        _region = region;
        _needsRound = needsRound;
        _streamClosed = streamClosed;
        _closing = new Alarm(node.Alarms, ReportClosed);
    }

    /// <summary>
    /// Nodes are removed from the cluster. Their streams are to be closed, whether this node received anything of them
    /// or not.
    /// </summary>
    public void Add(IReadOnlyList<NodeInfo> senders, Instant now)
    {
        foreach (NodeInfo sender in senders)
        {
            if (sender.Number.Key == _node.SelfKey) continue;
            Debug.Assert(sender.IsRemoved, "the removal is known here");
            StreamReceiver left = Orphan(sender);
            _node.Probes.Reached(
                left.KnownHighest == 0 ? "a sender is removed that a member of its view never heard of"
                    : left.Contiguous < left.KnownHighest ? "a sender is removed and a member misses something of it"
                    : "a sender is removed and a member has all that it knows of");
        }
    }

    /// <summary>
    /// The membership server has confirmed a removal. A stream closed earlier on the report of peers is reported again,
    /// since the server may not have waited for it then. The stream to a view installed meanwhile is closed too.
    /// </summary>
    public void OnConfirmed(NodeInfo sender, Instant now)
    {
        Debug.Assert(sender.IsRemoved && sender.Number.Key != _node.SelfKey, "another node is known to be removed");
        StreamReceiver stream = Orphan(sender);
        if (stream.Orphan!.IsClosed)
        {
            _closed.Add(sender);
            _closing.SetIfEarlier(now);
        }
        else
        {
            _needsRound(now);
        }
    }

    /// <summary>A token lists a sender as removed.</summary>
    public void Hear(ulong sender, Instant now)
    {
        if (sender == _node.SelfKey) return;
        int index = _region.View.IndexOf(sender);
        NodeInfo? described = index >= 0 ? _region.View.Members[index] : _node.Cluster.FindNode(sender);
        if (described is null)
        {
            _region.Streams.NoteUndescribed(sender);
            return;
        }
        if (!described.IsRemoved)
        {
            _node.Probes.Reached("a member learns of a removal from a token");
            _node.Events.OnRemovalHeard(described, now);
        }
        if (described.IsRemoved) Orphan(described);
    }

    /// <summary>True for a sender that is known to be removed.</summary>
    public bool Contains(ulong sender)
    {
        if (_region.Streams.Met(sender) is { } stream) return stream.Sender.IsRemoved;
        int index = _region.View.IndexOf(sender);
        if (index >= 0) return _region.View.Members[index].IsRemoved;
        return _region.Streams.IsUndescribed(sender) || _node.Cluster.FindNode(sender) is { IsRemoved: true };
    }

    /// <summary>A removed sender's stream; null when the sender is not known here.</summary>
    public StreamReceiver? StreamOf(ulong sender)
    {
        if (_region.Streams.Met(sender) is { } stream) return stream.Sender.IsRemoved ? Orphan(stream.Sender) : null;
        int index = _region.View.IndexOf(sender);
        NodeInfo? described = index >= 0 ? _region.View.Members[index] : _node.Cluster.FindNode(sender);
        return described is { IsRemoved: true } && index != _region.Self ? Orphan(described) : null;
    }

    /// <summary>
    /// True while a removed sender's stream is not closed here, or the rest of the node has not been notified.
    /// </summary>
    public bool HasOpen(NodeInfo sender) =>
        _region.Streams.Met(sender.Number.Key) is { } stream && stream.Orphan is { IsReported: false };

    /// <summary>
    /// Closes a removed sender's stream. No live member holds the packets that are still missing, and no more are
    /// accepted.
    /// </summary>
    public void CloseStream(StreamReceiver stream, Instant now)
    {
        Debug.Assert(stream.Orphan is not null && stream.Own is null, "the stream is a removed sender's");
        OrphanStream orphan = stream.Orphan!;
        if (orphan.IsClosed) return;
        if (stream.Missing.Count > 0)
        {
            orphan.NoteLoss(stream.Missing[stream.Missing.Count - 1].End - 1);
            _node.Counters.PacketsAbandoned += stream.AbandonMissing();
        }
        Debug.Assert(stream.Missing.Count == 0, "nothing is awaited of a closed stream");
        orphan.IsClosed = true;
        _node.Probes.Reached(
            orphan.HasLoss
                ? "a removed sender's stream is closed with a loss"
                : "a removed sender's stream is closed and all of it is there");
        _region.CleanUp(stream, stream.KnownHighest, default);
        _closed.Add(stream.Sender);
        _closing.SetIfEarlier(now);
    }

    /// <summary>Abandons packets of a removed sender that no live member holds.</summary>
    public void Abandon(StreamReceiver stream, ulong start, ulong end)
    {
        Debug.Assert(start < end && end - 1 <= stream.KnownHighest, "packets that are known of are abandoned");
        Debug.Assert(stream.Orphan is not null, "only a removed sender's packets are abandoned");
        _node.Counters.PacketsAbandoned += stream.Abandon(start, end);
        stream.Orphan!.NoteLoss(end - 1);
    }

    /// <summary>
    /// The view has retired. The server has waited for all live members, so no receiver waits for a stream that is not
    /// closed here.
    /// </summary>
    public void Retire(Instant now)
    {
        foreach (StreamReceiver stream in _region.Streams)
        {
            if (stream.Orphan is not null) CloseStream(stream, now);
        }
        ReportClosed(now);
    }

    /// <summary>Cancels notifications that are due.</summary>
    public void Stop() => _closing.Cancel();

    private StreamReceiver Orphan(NodeInfo sender)
    {
        StreamReceiver stream = _region.Streams.Met(sender.Number.Key) ?? _region.Streams.Add(sender, own: null);
        stream.Orphan ??= new OrphanStream();
        return stream;
    }

    // Runs from an alarm that is due at once: the caller is in the middle of a token, and delivery resumes here.
    private void ReportClosed(Instant now)
    {
        if (_closed.Count == 0) return;
        NodeInfo[] closed = [.. _closed];
        _closed.Clear();
        foreach (NodeInfo sender in closed)
        {
            StreamReceiver stream = _region.Streams.Met(sender.Number.Key)!;
            OrphanStream orphan = stream.Orphan!;
            Debug.Assert(orphan.IsClosed, "only closed streams are reported");
            if (!orphan.IsReported && orphan.HasLoss)
            {
                bool isTail = orphan.AbandonedThrough == stream.KnownHighest;
                _node.Deliverer.OnPacketsAbandoned(_region.View, sender, isTail);
            }
            orphan.IsReported = true;
        }
        _node.Events.OnStreamsClosed(_region.View, closed, now);
        foreach (NodeInfo sender in closed) _streamClosed(sender, now);
    }
}
