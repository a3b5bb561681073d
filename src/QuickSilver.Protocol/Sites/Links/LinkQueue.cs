using System.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// What waits to leave over a link. Flows take turns, a record each, so that a stream that has much to send holds up no
/// other. Those of a flow keep their order. Flow 0, what gateways tell each other, goes first. Allocates nothing while
/// the same flows come and go.
/// </summary>
internal sealed class LinkQueue
{
    private const int MostSpare = 64;

    private readonly RingQueue<LinkItem> _first = new();
    private readonly Dictionary<ulong, RingQueue<LinkItem>> _flows = [];
    private readonly RingQueue<ulong> _turns = new();
    private readonly Stack<RingQueue<LinkItem>> _spare = new();

    /// <summary>Records of all flows.</summary>
    public int Count { get; private set; }

    /// <summary>Adds a record behind those of its flow.</summary>
    public void Enqueue(in LinkItem item)
    {
        Count++;
        if (item.Flow == 0)
        {
            _first.Enqueue(item);
            return;
        }
        if (!_flows.TryGetValue(item.Flow, out RingQueue<LinkItem>? flow))
        {
            flow = _spare.Count > 0 ? _spare.Pop() : new RingQueue<LinkItem>();
            _flows.Add(item.Flow, flow);
            _turns.Enqueue(item.Flow);
        }
        flow.Enqueue(item);
    }

    /// <summary>Takes the record whose turn it is.</summary>
    public LinkItem Dequeue()
    {
        Debug.Assert(Count > 0, "a record waits");
        Count--;
        if (_first.Count > 0) return _first.Dequeue();
        ulong turn = _turns.Dequeue();
        RingQueue<LinkItem> flow = _flows[turn];
        LinkItem item = flow.Dequeue();
        if (flow.Count > 0)
        {
            _turns.Enqueue(turn);
            return item;
        }
        _flows.Remove(turn);
        if (_spare.Count < MostSpare) _spare.Push(flow);
        return item;
    }
}
