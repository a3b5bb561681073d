using QuickSilver.Protocol.Sites;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Groups;

/// <summary>
/// The last message of each sender of other sites that came to a group: tells what comes again when a gateway there
/// takes over. Numbers of a sender rise through leaves and joins (<see cref="Message.Sequence"/>), and a sender that
/// was evicted or started again has another id. Bounded: the senders that came first go. Loop thread only.
/// </summary>
internal sealed class SeenSenders
{
    private const int MostSenders = 16_384;

    private readonly Dictionary<(int Site, byte[] Sender), Seen> _seen = new(new Names());
    private readonly Queue<(int Site, byte[] Sender)> _order = new();

    /// <summary>Notes a message.</summary>
    /// <returns>False when it was here before. Only what is marked as sent again is looked at, and what comes late of a
    /// gateway that another has taken over from.</returns>
    public bool Accept(StreamId stream, IncomingMessage message)
    {
        (int, byte[]) key = (stream.Site, message.Sender.Id);
        if (!_seen.TryGetValue(key, out Seen? seen))
        {
            if (_order.Count == MostSenders) _seen.Remove(_order.Dequeue());
            _seen.Add(key, seen = new Seen());
            _order.Enqueue(key);
        }
        bool isLate = stream.Node < seen.Successor;
        if (message.IsAgain && stream.Node > seen.Successor) seen.Successor = stream.Node;
        if ((message.IsAgain || isLate) && message.Sequence <= seen.Last) return false;
        seen.Last = Math.Max(seen.Last, message.Sequence);
        return true;
    }

    private sealed class Seen
    {
        public ulong Last { get; set; }

        // The newest life that has sent again what this sender sent.
        public ulong Successor { get; set; }
    }

    private sealed class Names : IEqualityComparer<(int Site, byte[] Sender)>
    {
        public bool Equals((int Site, byte[] Sender) left, (int Site, byte[] Sender) right) =>
            left.Site == right.Site && left.Sender.AsSpan().SequenceEqual(right.Sender);

        public int GetHashCode((int Site, byte[] Sender) key)
        {
            var hash = new HashCode();
            hash.Add(key.Site);
            hash.AddBytes(key.Sender);
            return hash.ToHashCode();
        }
    }
}
