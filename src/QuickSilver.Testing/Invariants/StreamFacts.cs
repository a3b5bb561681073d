namespace QuickSilver.Testing.Invariants;

/// <summary>One stream as the network saw it: how far it was sent, and which of its packets each node has read from a
/// socket.</summary>
internal sealed class StreamFacts(RegionViewFacts view, ulong sender, int nodes)
{
    private const int WordBits = 64;

    // Two trains, one of which the socket refused.
    private const ulong MaxSkipped = 2 * Protocol.Flow.Transports.Train.MaxDatagrams;

    private readonly HashSet<ulong> _skipped = [];
    private readonly ulong[]?[] _read = new ulong[nodes][];

    /// <summary>The view it goes to.</summary>
    public RegionViewFacts View { get; } = view;

    /// <summary>Key of its sender's number.</summary>
    public ulong Sender { get; } = sender;

    /// <summary>Highest sequence sent.</summary>
    public ulong Highest { get; private set; }

    /// <summary>
    /// Counts a packet as sent. Hybrid packets and others leave by two ways, so the socket may take them in another
    /// order than that of their numbers.
    /// </summary>
    /// <param name="sequence">The packet.</param>
    /// <param name="mayLeap">True when packets of hybrid groups are among the stream's.</param>
    /// <param name="isNew">True when it was not sent before.</param>
    /// <returns>False when packets before it were never sent.</returns>
    public bool TryAdd(ulong sequence, bool mayLeap, out bool isNew)
    {
        isNew = sequence > Highest || _skipped.Remove(sequence);
        if (sequence <= Highest) return true;
        if (sequence - Highest - 1 + (ulong)_skipped.Count > (mayLeap ? MaxSkipped : 0)) return false;
        for (ulong skipped = Highest + 1; skipped < sequence; skipped++) _skipped.Add(skipped);
        Highest = sequence;
        return true;
    }

    /// <summary>A node has read a packet.</summary>
    public void MarkRead(int node, ulong sequence)
    {
        int word = (int)(sequence / WordBits);
        ref ulong[]? words = ref _read[node];
        words ??= new ulong[4];
        if (word >= words.Length) Array.Resize(ref words, Math.Max(word + 1, words.Length * 2));
        words[word] |= 1UL << (int)(sequence % WordBits);
    }

    /// <summary>True when a node has read a packet.</summary>
    public bool HasRead(int node, ulong sequence)
    {
        int word = (int)(sequence / WordBits);
        return _read[node] is { } words && word < words.Length
            && (words[word] & (1UL << (int)(sequence % WordBits))) != 0;
    }
}
