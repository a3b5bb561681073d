namespace QuickSilver.Testing.Invariants;

/// <summary>One stream as the network saw it: how far it was sent, and which of its packets each node has read from a
/// socket.</summary>
internal sealed class StreamFacts(RegionViewFacts view, ulong sender, int nodes)
{
    private const int WordBits = 64;

    private readonly ulong[]?[] _read = new ulong[nodes][];

    /// <summary>The view it goes to.</summary>
    public RegionViewFacts View { get; } = view;

    /// <summary>Key of its sender's number.</summary>
    public ulong Sender { get; } = sender;

    /// <summary>Highest sequence sent.</summary>
    public ulong Highest { get; set; }

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
