using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>This node's streams, one per region view it has sent to, kept until the view retires.</summary>
internal sealed class StreamTable(StreamContext context)
{
    private readonly Dictionary<ulong, StreamSender> _byHeader = [];
    private readonly List<StreamSender> _all = [];

    /// <summary>All streams in the order in which they were opened.</summary>
    public IReadOnlyList<StreamSender> All => _all;

    public StreamSender? Find(uint viewTag, uint viewCounter) => _byHeader.GetValueOrDefault(Key(viewTag, viewCounter));

    public StreamSender? Find(RegionView view)
    {
        StreamSender? stream = Find(view.Number.Tag, view.Number.Counter);
        return stream is not null && stream.View.Number == view.Number ? stream : null;
    }

    /// <summary>The stream into a view: the existing one, continued, or a new one.</summary>
    public StreamSender Open(RegionView view, Instant now)
    {
        StreamSender? stream = Find(view);
        if (stream is null)
        {
            stream = new StreamSender(context, view, PredecessorShare(view), now);
            _byHeader[Key(view.Number.Tag, view.Number.Counter)] = stream;
            _all.Add(stream);
        }
        return stream;
    }

    public void Remove(StreamSender stream)
    {
        ulong key = Key(stream.View.Number.Tag, stream.View.Number.Counter);
        if (_byHeader.GetValueOrDefault(key) == stream) _byHeader.Remove(key);
        _all.Remove(stream);
    }

    private static ulong Key(uint tag, uint counter) => ((ulong)tag << 32) | counter;

    // The region's old view had nearly the same members, with the same buffers: its stream's share is the best first
    // guess.
    private long PredecessorShare(RegionView view)
    {
        StreamSender? newest = null;
        foreach (StreamSender stream in _all)
        {
            if (stream.View.Region.Id != view.Region.Id) continue;
            if (newest is null || newest.View.Number < stream.View.Number) newest = stream;
        }
        return newest?.WindowShare ?? 0;
    }
}
